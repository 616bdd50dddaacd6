# SPDX-License-Identifier: Apache-2.0
"""Adds up the test results of all programs: prints a line for each stage, then the total."""

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counts:
    """Numbers of tests by their outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, case: ElementTree.Element) -> None:
        """Count one test case of a JUnit report."""
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            self.failed += 1
        elif "skipped" in outcomes or case.get("status") == "notrun":
            self.skipped += 1
        else:
            self.passed += 1

    def __str__(self) -> str:
        """Return the closing line of a runner."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def count(folder: Path) -> Counts:
    """Return the counts of all JUnit reports (``*.xml``) in `folder`."""
    counts = Counts()
    for report in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            counts.add(case)
    return counts


def main(arguments: list[str]) -> int:
    """Print the table of ``scripts/test``.

    Parameters
    ----------
    arguments
        The folder of the results (its folders named for stages hold reports), then for each
        stage its name, seconds, and exit status.
    """
    results = Path(arguments[0])
    stages = list(zip(arguments[1::3], arguments[2::3], arguments[3::3], strict=True))
    total = Counts()
    width = max(len(name) for name, _, _ in stages)
    for name, seconds, status in stages:
        counts = count(results / name)
        # A program that died wrote no report.
        if status != "0" and counts.failed == 0:
            counts.failed = 1
        tests = str(counts) if counts != Counts() else "done"
        print(f"  {name:{width}}  {float(seconds):7.1f} s  {tests}")
        total.passed += counts.passed
        total.failed += counts.failed
        total.skipped += counts.skipped
    print(f"  {'total':{width}}  {sum(float(seconds) for _, seconds, _ in stages):7.1f} s")
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
