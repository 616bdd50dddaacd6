# What the build needs from outside, each with the command that brings it.
find_package(Threads REQUIRED)

find_package(hwy QUIET)
find_path(EINSUMMABLE_HWY_INCLUDE hwy/highway.h)
find_library(EINSUMMABLE_HWY_LIBRARY hwy)
if(NOT EINSUMMABLE_HWY_INCLUDE OR NOT EINSUMMABLE_HWY_LIBRARY)
  message(FATAL_ERROR "Google Highway is missing: apt-get install libhwy-dev")
endif()
add_library(einsummable_highway INTERFACE)
target_include_directories(einsummable_highway SYSTEM INTERFACE ${EINSUMMABLE_HWY_INCLUDE})
target_link_libraries(einsummable_highway INTERFACE ${EINSUMMABLE_HWY_LIBRARY})

find_path(EINSUMMABLE_CLP_INCLUDE coin/ClpSimplex.hpp)
find_library(EINSUMMABLE_CLP_LIBRARY Clp)
find_library(EINSUMMABLE_COINUTILS_LIBRARY CoinUtils)
if(NOT EINSUMMABLE_CLP_INCLUDE OR NOT EINSUMMABLE_CLP_LIBRARY OR NOT EINSUMMABLE_COINUTILS_LIBRARY)
  message(FATAL_ERROR "COIN-OR Clp is missing: apt-get install coinor-libclp-dev")
endif()
# The shared libraries: Debian's static ones cannot be linked into the Python module.
add_library(einsummable_clp INTERFACE)
target_include_directories(einsummable_clp SYSTEM INTERFACE ${EINSUMMABLE_CLP_INCLUDE})
target_link_libraries(einsummable_clp INTERFACE
  ${EINSUMMABLE_CLP_LIBRARY} ${EINSUMMABLE_COINUTILS_LIBRARY})

find_path(EINSUMMABLE_TOMLPLUSPLUS_INCLUDE toml++/toml.h)
if(NOT EINSUMMABLE_TOMLPLUSPLUS_INCLUDE)
  message(FATAL_ERROR "toml++ is missing: apt-get install libtomlplusplus-dev")
endif()
add_library(einsummable_tomlplusplus INTERFACE)
target_include_directories(einsummable_tomlplusplus SYSTEM INTERFACE
  ${EINSUMMABLE_TOMLPLUSPLUS_INCLUDE})

# OpenBLAS comes from the Python package scipy-openblas32, which knows where it lies.
if(NOT Python_EXECUTABLE)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
endif()
if(NOT EINSUMMABLE_OPENBLAS)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
      "import scipy_openblas32 as o, pathlib; print(pathlib.Path(o.__file__).parent)"
    OUTPUT_VARIABLE EINSUMMABLE_OPENBLAS OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE openblas_missing)
  if(openblas_missing)
    message(FATAL_ERROR
      "OpenBLAS is missing: ${Python_EXECUTABLE} -m pip install scipy-openblas32")
  endif()
  set(EINSUMMABLE_OPENBLAS ${EINSUMMABLE_OPENBLAS} CACHE PATH "The folder of scipy_openblas32")
endif()
add_library(einsummable_openblas INTERFACE)
target_include_directories(einsummable_openblas SYSTEM INTERFACE ${EINSUMMABLE_OPENBLAS}/include)
target_link_libraries(einsummable_openblas INTERFACE
  ${EINSUMMABLE_OPENBLAS}/lib/libscipy_openblas.so)
