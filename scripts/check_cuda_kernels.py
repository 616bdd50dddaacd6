# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels that the tests generated with NVRTC, for every architecture of GPUs served.

NVRTC needs no GPU. The tests leave units of kernels in the folder EINSUMMABLE_CUDA_SOURCES.

usage: check_cuda_kernels.py FOLDER LIBRARIES

LIBRARIES is the folder that holds libnvrtc.so.13.
"""

import ctypes
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
# As the plugin's compiler.cc.
OPTIONS = ("--std=c++20", "--fmad=false", "--diag-suppress=177")


def library(folder: str) -> ctypes.CDLL:
    """Open NVRTC, and first its builtins, which it looks for by name."""
    for builtins in sorted(Path(folder).glob("libnvrtc-builtins.so.13*")):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(Path(folder) / "libnvrtc.so.13"))


def fault_of(job: tuple[str, str, int]) -> str:
    """Compile a unit for an architecture to a cubin; give what the compiler says, or nothing."""
    path, folder, architecture = job
    nvrtc = library(folder)
    program = ctypes.c_void_p()
    text = Path(path).read_bytes()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"unit.cu", 0, None, None)
    options = [f"--gpu-architecture=sm_{architecture}", *OPTIONS]
    array = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), array)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    cubin = ctypes.c_size_t()
    if status == 0:
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(cubin))
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    said = log.value.decode(errors="replace").strip()
    if status == 0 and cubin.value > 0 and not said:
        return ""
    return f"{path} for sm_{architecture}: {said[:2000] or f'status {status}'}"


def main(arguments: list[str]) -> int:
    """Compile, and print what the compiler complains about; 1 if it does, or there is nothing."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    units = sorted(Path(arguments[0]).glob("*.cu"))
    jobs = [(str(unit), arguments[1], sm) for unit in units for sm in ARCHITECTURES]
    with ProcessPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        faults = [fault for fault in pool.map(fault_of, jobs) if fault]
    for fault in faults[:5]:
        print(fault, file=sys.stderr)
    kernels = sum(unit.read_text(encoding="utf-8").count("\nES_KERNEL(") for unit in units)
    print(
        f"{kernels} generated kernels for {len(ARCHITECTURES)} architectures: {len(faults)} faults"
    )
    return 1 if faults or not units else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
