# SPDX-License-Identifier: Apache-2.0
"""The closing table of scripts/test counts every report, and no failure is lost."""

import pytest

import test_summary

GTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" disabled="1" errors="0" name="AllTests">
  <testsuite name="A" tests="4" failures="1" disabled="1" skipped="1" errors="0">
    <testcase name="good" status="run" result="completed" />
    <testcase name="bad" status="run"><failure message="no"/><failure message="no"/></testcase>
    <testcase name="off" status="notrun" result="suppressed" />
    <testcase name="skipped" status="run" result="skipped"><skipped message="x"/></testcase>
  </testsuite>
</testsuites>"""
PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="0" skipped="0" tests="3">
  <testcase name="a"/><testcase name="b"/><testcase name="c"><error message="no"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def results(tmp_path):
    for stage, name, text in [("C++", "a_test", GTEST), ("Python", "pytest", PYTEST)]:
        (tmp_path / stage).mkdir()
        (tmp_path / stage / f"{name}.xml").write_text(text)
    return tmp_path


def test_counts_of_all_reports(results, capsys):
    stages = ["setup", "1.5", "0", "C++", "2", "0", "Python", "3", "0"]
    assert test_summary.main([str(results), *stages]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "  setup       1.5 s  done",
        "  C++         2.0 s  1 passed, 1 failed, 2 skipped",
        "  Python      3.0 s  2 passed, 1 failed",
        "  total       6.5 s",
        "3 passed, 2 failed, 2 skipped",
    ]


def test_a_stage_that_failed_without_a_report_is_a_failure(tmp_path, capsys):
    assert test_summary.main([str(tmp_path), "build", "1", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_no_test_at_all_is_no_success(tmp_path):
    assert test_summary.main([str(tmp_path), "build", "1", "0"]) == 1
