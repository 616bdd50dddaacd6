# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels that the tests generated with NVRTC, for every architecture of GPUs served.

NVRTC needs no GPU. The tests leave units of kernels in the folder EINSUMMABLE_CUDA_SOURCES. Of
kernels that share no memory, and differ by whole numbers alone, the first stands for all.

usage: check_cuda_kernels.py FOLDER LIBRARIES

LIBRARIES is the folder that holds libnvrtc.so.13.
"""

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
KERNEL = "\nES_KERNEL("
# As many are compiled at once.
KERNELS_A_UNIT = 32
# As the plugin's compiler.cc.
OPTIONS = ("--std=c++20", "--fmad=false", "--diag-suppress=177")


def library(folder: str) -> ctypes.CDLL:
    """Open NVRTC, and first its builtins, which it looks for by name."""
    for builtins in sorted(Path(folder).glob("libnvrtc-builtins.so.13*")):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(Path(folder) / "libnvrtc.so.13"))


def kernels_of(units: list[Path]) -> Iterator[tuple[str, str]]:
    """Give every kernel of the units after what comes before the first."""
    for unit in units:
        head, *kernels = unit.read_text(encoding="utf-8").split(KERNEL)
        for kernel in kernels:
            yield head, kernel.rstrip()


def shape_of(kernel: str) -> str:
    """Give a kernel's text without its name, and without its numbers if it shares no memory."""
    shape = re.sub(r"^\w+", "", kernel)
    return shape if "ES_SHARED" in shape else re.sub(r"\b\d+\b", "0", shape)


def units_of(kernels: list[tuple[str, str]]) -> list[str]:
    """Give units of those kernels that stand for themselves."""
    different = {head + KERNEL + shape_of(kernel): (head, kernel) for head, kernel in kernels}
    by_head: dict[str, list[str]] = {}
    for head, kernel in different.values():
        by_head.setdefault(head, []).append(kernel)
    return [
        KERNEL.join([head, *several[first : first + KERNELS_A_UNIT]])
        for head, several in by_head.items()
        for first in range(0, len(several), KERNELS_A_UNIT)
    ]


def fault_of(job: tuple[str, str, int]) -> str:
    """Compile a unit for an architecture to a cubin; give what the compiler says, or nothing."""
    text, folder, architecture = job
    nvrtc = library(folder)
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"unit.cu", 0, None, None)
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
    return f"sm_{architecture}: {said[:2000] or f'status {status}'}"


def main(arguments: list[str]) -> int:
    """Compile, and print what the compiler complains about; 1 if it does, or there is nothing."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    kernels = list(kernels_of(sorted(Path(arguments[0]).glob("*.cu"))))
    units = units_of(kernels)
    jobs = [(unit, arguments[1], sm) for unit in units for sm in ARCHITECTURES]
    with ProcessPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        faults = [fault for fault in pool.map(fault_of, jobs) if fault]
    for fault in faults[:5]:
        print(fault, file=sys.stderr)
    compiled = sum(unit.count(KERNEL) for unit in units)
    print(
        f"{len(kernels)} generated kernels, {compiled} of them different, for "
        f"{len(ARCHITECTURES)} architectures: {len(faults)} faults"
    )
    return 1 if faults or not units else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
