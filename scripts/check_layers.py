# SPDX-License-Identifier: Apache-2.0
"""Checks that each folder includes only what its layer may see.

``LAYERS`` says what a layer sees directly; it also sees what those see, and every layer sees
``base``. The includes themselves are checked transitively too: where a part of a folder sees less
than its folder (``exchange`` without its simulator), what it reaches through others counts.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

LAYERS: dict[str, tuple[str, ...]] = {
    "base": (),
    "tensor": (),
    "spec": ("tensor",),
    "ops": ("spec",),
    "graph": ("ops",),
    "workloads": ("graph",),
    "topology": (),
    "logical": ("graph", "topology"),
    "exchange": (),
    "exchange.timing": ("exchange", "topology"),
    "synthesis": ("exchange", "exchange.timing"),
    "physical": ("logical", "synthesis"),
    "task": ("physical",),
    "executor": ("task",),
    "executor.cpu": ("executor",),
    "executor.cuda": ("executor",),
    "executor.mpi": ("executor",),
    "executor.list": ("executor.cpu", "executor.cuda", "executor.mpi"),
    "compile": ("executor.list", "workloads"),
    "bindings": ("compile", "workloads"),
}
# Parts of a folder that see more than the folder: exchange's simulator and bounds, the executors.
PARTS = (
    (re.compile(r"einsummable/exchange/(simulator|bounds)"), "exchange.timing"),
    (re.compile(r"einsummable/executor/cpu/"), "executor.cpu"),
    (re.compile(r"einsummable/executor/cuda/"), "executor.cuda"),
    (re.compile(r"einsummable/executor/mpi/"), "executor.mpi"),
    # Where an executor is made by its name.
    (re.compile(r"einsummable/executor/executor\.cc"), "executor.list"),
    (re.compile(r"einsummable/(\w+)/"), None),
    (re.compile(r"einsummable/\w+\.(cc|h)"), "compile"),
    (re.compile(r"python/(bindings|tests)/"), "bindings"),
    (re.compile(r"examples/"), "compile"),
    (re.compile(r"benchmarks/"), "compile"),
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
OURS = ("einsummable/", "python/", "tests/", "examples/", "benchmarks/")
# Libraries that must be included in quotes: Highway's foreach_target.h, as it reads the file again.
QUOTED = ("hwy/",)
SUFFIXES = (".cc", ".h", ".def", ".inc", ".cu", ".cuh")


def layer_of(path: str) -> str | None:
    """Return the layer of a source file, or None where it has none."""
    for pattern, layer in PARTS:
        found = pattern.match(path)
        if found:
            return layer if layer is not None else found[1]
    return None


def visible(layer: str) -> set[str]:
    """Return the layers that `layer` may include, itself among them."""
    return {"base", layer}.union(*(visible(below) for below in LAYERS[layer]))


def test_layer(path: str) -> str | None:
    """Return the layer whose tests lie at `path`, or None for tests that may see everything."""
    tested = path.removeprefix("tests/")
    return layer_of(f"einsummable/{tested}") if tested.split("/")[0] in LAYERS else None


class Includes:
    """The includes among a set of sources.

    Parameters
    ----------
    sources
        Text by path, paths relative to the root of the checkout.
    """

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = sources
        self.direct = {path: [m[2] for m in INCLUDE.finditer(t)] for path, t in sources.items()}

    def reached(self, path: str) -> dict[str, str]:
        """Return each of our files that `path` reaches, with the include of `path` it is behind."""
        reached: dict[str, str] = {}
        for first in self.direct[path]:
            open_paths = [first]
            while open_paths:
                current = open_paths.pop()
                if current in self.direct and current not in reached:
                    reached[current] = first
                    open_paths += self.direct[current]
        return reached


def check_file(path: str, includes: Includes) -> list[str]:
    """Return what is wrong with the includes of one file."""
    faults = []
    for mark, target in INCLUDE.findall(includes.sources[path]):
        ours = target.startswith(OURS)
        if mark == "<" and ours:
            faults.append(f'{path}: <{target}> is ours: "{target}"')
        elif mark == '"' and not target.startswith(OURS + QUOTED):
            faults.append(f'{path}: "{target}" is no path from the root of the checkout')
        elif ours and target not in includes.sources:
            faults.append(f'{path}: "{target}" does not exist')
    reached = includes.reached(path)
    if path in reached and path.endswith(".h"):
        faults.append(f"{path}: includes itself through {reached[path]}")
    if path.startswith("tests/"):
        layer = test_layer(path)
    else:
        layer = layer_of(path)
        if layer not in LAYERS:
            return [*faults, f"{path}: its folder has no layer in scripts/check_layers.py"]
    if layer is None:
        return faults
    allowed = visible(layer)
    if path.startswith("tests/") and "graph" in allowed:
        allowed |= {"workloads"}  # the paper's computations are there for tests
    for target, first in sorted(reached.items()):
        # What tests share may see everything; only what a test includes itself counts.
        if path.startswith("tests/") and (first.startswith("tests/") or target != first):
            continue
        below = layer_of(target)
        if target.startswith("tests/") or below is None or below not in allowed:
            way = "" if target == first else f" through {first}"
            faults.append(f"{path}: {layer} may not see {target}{way}")
    return faults


def check(sources: dict[str, str]) -> list[str]:
    """Return every fault of `sources` (text by path); an empty list if there is none."""
    includes = Includes(sources)
    faults = []
    for path, text in sorted(sources.items()):
        faults += check_file(path, includes)
        # Headers that Highway reads once for each instruction set hold guards of its own.
        if path.endswith(".h") and "#pragma once" not in text and "HWY_" not in text:
            faults.append(f"{path}: has no #pragma once")
    return faults


def read_sources(root: Path, tops: Iterable[str] = OURS) -> dict[str, str]:
    """Return the text of every C++ file below `root`, by its path relative to it."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for top in tops
        for path in sorted((root / top).rglob("*"))
        if path.suffix in SUFFIXES
    }


def main() -> int:
    """Check the checkout this file lies in."""
    sources = read_sources(Path(__file__).resolve().parent.parent)
    faults = check(sources)
    print("\n".join([*faults, f"layers: {len(sources)} files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
