# Compile through ccache where it is installed. Paths below the source tree are hashed relative to
# it, the locale (in which Python starts the build of a wheel) is not hashed, and precompiled headers
# are allowed, so that clones, work trees and wheels share one cache.
find_program(EINSUMMABLE_CCACHE ccache)
if(EINSUMMABLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env CCACHE_SLOPPINESS=locale,pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 ${EINSUMMABLE_CCACHE})
endif()
