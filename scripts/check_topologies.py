# SPDX-License-Identifier: Apache-2.0
"""Checks that every table of the machine files in topologies/ says where its figures come from."""

import sys
import tomllib
from pathlib import Path

MEASURED = "measured"
"""The name that stands for the user's own machine."""


def check(name: str, text: str) -> list[str]:
    """Return what is wrong with the file `name`.toml; the library checks everything else."""
    try:
        machine = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return [f"{name}.toml: {error}"]
    faults = []
    if machine.get("name") != name:
        faults.append(f"{name}.toml: its name is {machine.get('name')!r}")
    if name == MEASURED:
        faults.append(f"{name}.toml: the name stands for the user's own machine")
    if not text.startswith("#"):
        faults.append(f"{name}.toml: does not begin with a comment that says what it is")
    tables = {"the file": [machine]}
    for key, value in machine.items():
        if isinstance(value, dict):
            tables[f"[{key}]"] = [value]
        elif isinstance(value, list):
            tables[f"[[{key}]]"] = value
    for where, entries in tables.items():
        for number, table in enumerate(entries, 1):
            source = table.get("source") if isinstance(table, dict) else None
            if not isinstance(source, str) or not source.strip():
                which = f"{where} {number}" if len(entries) > 1 else where
                faults.append(f"{name}.toml: {which} has no source")
    return faults


def main() -> int:
    """Check the checkout this file lies in."""
    paths = sorted((Path(__file__).resolve().parent.parent / "topologies").glob("*.toml"))
    faults = [fault for path in paths for fault in check(path.stem, path.read_text("utf-8"))]
    print("\n".join([*faults, f"topologies: {len(paths)} files, {len(faults)} faults"]))
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
