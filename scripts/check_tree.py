# SPDX-License-Identifier: Apache-2.0
"""Checks what each file of the tree must hold: size, licence, a test of its own, plain words."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
CODE = (".cc", ".h", ".py", ".cu", ".cuh")
LICENSE = "SPDX-License-Identifier: Apache-2.0"

# Each pattern with the reason; found in a line of any text file but these.
WORDS = (
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "unfinished work"),
    (re.compile(r"\b(for now|placeholder)\b", re.IGNORECASE), "unfinished work"),
    (re.compile(r"(?<![\w.~<}])/(work|home|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(pypi\.org|pythonhosted\.org|debian\.org|ubuntu\.com)\b"), "a registry's host"),
)
WORDS_EXCEPT = ("scripts/check_tree.py", "tests/scripts/test_check_tree.py", "LICENSE")

CUDA_CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*(CUDA|NVCC)", re.MULTILINE)
# A decision by an operator's kind or name: switch (op.kind()), op.name() == "matmul".
BY_OPERATOR = re.compile(
    r"switch\s*\([^;{]*\b(op|operator|operation)\w*(\([^()]*\))?(\.|->)(kind|name|type)\b"
    r"|\bcase\s+(Op|Operator)(Kind|Type)?::"
    r"|\b(op|operator)\w*(\([^()]*\))?(\.|->)(kind|name)\(\)\s*[!=]=\s*[\"A-Z]"
)
NAME = re.compile(r"(^|_)(utils?|helpers?|misc|v\d+)(_|\.|$)")

# Sources with a header whose tests lie elsewhere: source -> the file that tests it.
TESTED_BY: dict[str, str] = {}


def functions(text: str) -> Iterable[tuple[int, int]]:
    """Yield the first line and the length of each outermost function in formatted C++."""
    lines = text.splitlines()
    found = []
    for last, line in enumerate(lines):
        if line in ("}", "  }"):
            inside = line.replace("}", " ")
            first = last - 1
            while first > 0 and (lines[first].startswith((inside, "#")) or not lines[first]):
                first -= 1
            found.append((first + 1, last - first + 1))
    end = 0
    for start, length in sorted(found, key=lambda place: (place[0], -place[1])):
        if start > end:
            yield start, length
            end = start + length - 1


def python_functions(text: str) -> Iterable[tuple[int, int]]:
    """Yield the first line and the length of each function in Python, less its docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node, clean=False) is not None:
                first = node.body[0]
                length -= (first.end_lineno or first.lineno) - first.lineno + 1
            yield node.lineno, length


def check_size(path: str, text: str) -> Iterable[str]:
    """Yield files and functions that are too long."""
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        yield f"{path}: {lines} lines; at most {LONGEST_FILE}"
    for start, length in python_functions(text) if path.endswith(".py") else functions(text):
        if length > LONGEST_FUNCTION:
            yield f"{path}:{start}: a function of {length} lines; at most {LONGEST_FUNCTION}"


def check_words(path: str, text: str) -> Iterable[str]:
    """Yield lines with words that no file may hold."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, reason in WORDS:
            found = pattern.search(line)
            if found:
                yield f"{path}:{number}: {reason}: {found[0]!r}"


def check_code(path: str, text: str) -> Iterable[str]:
    """Yield what is wrong inside one source file."""
    first = text.split("\n", 1)[0]
    if LICENSE not in first:
        yield f"{path}: the first line does not hold {LICENSE!r}"
    yield from check_size(path, text)
    if NAME.search(PurePosixPath(path).name):
        yield f"{path}: a name that says nothing of what is in it"
    if path.endswith(".py"):
        return
    if not path.startswith("einsummable/executor/"):
        for found in CUDA_CONDITION.finditer(text):
            yield f"{path}: CUDA outside executor/: {found[0].strip()!r}"
    if path.startswith("einsummable/") and not path.startswith("einsummable/ops/"):
        for found in BY_OPERATOR.finditer(text):
            yield f"{path}: decides by the kind of an operator outside ops/: {found[0]!r}"


def check_mirror(files: dict[str, str]) -> Iterable[str]:
    """Yield sources without a test.

    ``einsummable/<folder>/<stem>.cc`` is tested by ``tests/<folder>/<stem>_test.cc``, or by another
    test there that includes its header. What no other folder sees (it has no header of its name, or
    one that only its own folder includes) is a part, tested through what uses it; operators are
    such parts, and the conformance tests loop over them.
    """
    users: dict[str, set[str]] = {}
    for path, text in files.items():
        for header in re.findall(r'^#include "(einsummable/[^"]+)"', text, re.MULTILINE):
            users.setdefault(header, set()).add(path.rpartition("/")[0])
    for path in sorted(files):
        stem = path.removesuffix(".cc").removeprefix("einsummable/")
        if path != f"einsummable/{stem}.cc" or path in TESTED_BY:
            continue
        if f"tests/{stem}_test.cc" in files:
            continue
        folder = stem.rpartition("/")[0]
        used_in = users.get(f"einsummable/{stem}.h", set())
        tested = {used for used in used_in if f"{used}/".startswith(f"tests/{folder}/")}
        outside = {used for used in used_in if not used.startswith("tests")}
        if outside - {f"einsummable/{folder}".rstrip("/")} and not tested:
            yield f"{path}: there is no tests/{stem}_test.cc, nor a test there with its header"
    for path, test_path in TESTED_BY.items():
        if not {path, test_path} <= set(files):
            yield f"scripts/check_tree.py: TESTED_BY has {path} by {test_path}: not both exist"


def check_built(files: dict[str, str]) -> Iterable[str]:
    """Yield C++ sources that would never be built: no CMakeLists.txt names them.

    The file of an operator is built because of its line in operators.def.
    """
    operators = files.get("einsummable/ops/operators.def", "")
    for path in sorted(files):
        pure = PurePosixPath(path)
        if pure.suffix != ".cc":
            continue
        if path.startswith("einsummable/ops/") and f"ES_OPERATOR({pure.stem})\n" in operators:
            continue
        names = {
            pure.relative_to(folder).as_posix(): f"{folder}/CMakeLists.txt".removeprefix("./")
            for folder in pure.parents
        }
        if not any(
            re.search(rf"(^|[\s(\"/]){re.escape(name)}($|[\s)\"])", files.get(cmake, ""))
            for name, cmake in names.items()
        ):
            yield f"{path}: no CMakeLists.txt names it"


def check(files: dict[str, str]) -> list[str]:
    """Return every fault of a tree (text by path); an empty list if there is none."""
    faults = [*check_mirror(files), *check_built(files)]
    for path, text in sorted(files.items()):
        if path.endswith(CODE):
            faults += check_code(path, text)
        if path not in WORDS_EXCEPT:
            faults += check_words(path, text)
    return faults


def read_tree(root: Path) -> dict[str, str]:
    """Return the text of every file that git knows or would add, by path; binary ones left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = {}
    for path in filter(None, listed.split("\0")):
        if (root / path).is_file():
            data = (root / path).read_bytes()
            if b"\0" not in data[:8192]:
                files[path] = data.decode("utf-8", errors="replace")
    return files


def main() -> int:
    """Check the checkout this file lies in."""
    files = read_tree(Path(__file__).resolve().parent.parent)
    faults = check(files)
    print("\n".join([*faults, f"tree: {len(files)} files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
