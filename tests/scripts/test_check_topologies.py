# SPDX-License-Identifier: Apache-2.0
"""The check of shipped machine files finds what it is for."""

import check_topologies

GOOD = """# A box.
version = 1
name = "box"
source = "a"
[sites]
count = 2
flops.float16 = 1
source = "b"
[[link]]
sites = [0, 1]
source = "c"
[[link]]
sites = [2, 3]
source = "d"
"""


def test_the_checkout_is_in_order(capsys):
    assert check_topologies.main() == 0
    assert " 0 faults" in capsys.readouterr().out


def test_a_table_without_source_is_found():
    assert check_topologies.check("box", GOOD) == []
    for source, where in [("a", "the file"), ("b", "[sites]"), ("c", "[[link]] 1")]:
        for instead in ("", 'source = ""\n', 'source = " "\n', "source = 3\n"):
            broken = GOOD.replace(f'source = "{source}"\n', instead)
            assert check_topologies.check("box", broken) == [f"box.toml: {where} has no source"]


def test_names_and_heads():
    assert check_topologies.check("other", GOOD) == ["other.toml: its name is 'box'"]
    assert "does not begin" in check_topologies.check("box", GOOD.removeprefix("# A box.\n"))[0]
    named = GOOD.replace('"box"', '"measured"')
    assert "stands for the user's own" in check_topologies.check("measured", named)[0]
    assert check_topologies.check("box", "=")[0].startswith("box.toml: Invalid")
