# SPDX-License-Identifier: Apache-2.0
"""Each rule of the tree is broken once, and the fault is found; a tree that keeps them passes."""

from pathlib import Path

import pytest

import check_tree

CC = "// SPDX-License-Identifier: Apache-2.0\n"
PY = "# SPDX-License-Identifier: Apache-2.0\n"

GOOD = {
    "einsummable/graph/CMakeLists.txt": "target_sources(einsummable PRIVATE\n  graph.cc)\n",
    "einsummable/graph/graph.cc": CC + "int f() {\n  return 1;\n}\n",
    "einsummable/graph/graph.h": CC,
    "einsummable/ops/operators.def": "ES_OPERATOR(matmul)\n",
    "einsummable/ops/matmul.cc": CC + "switch (op.kind()) {}\n",
    "einsummable/executor/executor.h": CC
    + '#ifdef EINSUMMABLE_CUDA\n#include "einsummable/graph/graph.h"\n#endif\n',
    "tests/graph/CMakeLists.txt": "einsummable_test(graph graph_test.cc)\n",
    "tests/graph/graph_test.cc": CC + '#include "einsummable/graph/graph.h"\n',
    "python/einsummable/api.py": PY,
    "README.md": "A todo list is no unfinished work; see /usr/share, https://x.org/home/page.\n",
}


def test_good_tree_passes():
    assert check_tree.check(GOOD) == []


BODY = "    g();\n"
CASES = {
    "no licence": ("einsummable/graph/graph.h", "#pragma once\n", "does not hold 'SPDX"),
    "licence later": ("python/einsummable/api.py", "\n" + PY, "does not hold 'SPDX"),
    "long file": ("einsummable/graph/graph.h", CC + "\n" * 400, "401 lines; at most 400"),
    "long function": (
        "einsummable/graph/graph.cc",
        CC + "namespace a {\nint f(int x,\n      int y) {\n" + BODY * 60 + "}\n}\n",
        "graph.cc:3: a function of 63 lines",
    ),
    "long method": (
        "einsummable/graph/graph.h",
        CC + "class A {\n public:\n  int f() const {\n" + BODY * 60 + "  }\n};\n",
        "graph.h:4: a function of 62 lines",
    ),
    "long Python function": (
        "python/einsummable/api.py",
        PY + "class A:\n    def f(self):\n" + "        g()\n" * 60,
        "api.py:3: a function of 61 lines",
    ),
    "long Python function of few words": (
        "python/einsummable/api.py",
        PY + 'def f():\n    """Say little.\n\n    Twice.\n    """\n' + "    g()\n" * 60,
        "api.py:2: a function of 61 lines",
    ),
    "unfinished": ("README.md", "Done. TODO: more\n", "README.md:1: unfinished work: 'TODO'"),
    "unfinished in words": ("README.md", "\nGood enough for now.\n", "README.md:2: unfinished"),
    "machine path": ("CMakeLists.txt", "set(A /home/someone/x)\n", "a path of one machine"),
    "registry": ("README.md", "See https://pypi.org/project\n", "a registry's host"),
    "CUDA": ("einsummable/graph/graph.cc", CC + "#if defined(USE_CUDA)\n#endif\n", "CUDA outside"),
    "switch": (
        "einsummable/graph/graph.cc",
        CC + "switch (graph.op(id)->kind()) {\n}\n",
        "decides by the kind",
    ),
    "comparison": (
        "einsummable/graph/graph.cc",
        CC + 'if (op.name() == "matmul") return;\n',
        "decides by the kind",
    ),
    "header of one folder alone": ("einsummable/ops/matmul.h", CC, None),
    "source without test": ("tests/graph/graph_test.cc", None, "no tests/graph/graph_test.cc"),
    "test of its name": ("tests/graph/graph_test.cc", CC, None),
    "not built": ("einsummable/graph/cycle.cc", CC, "cycle.cc: no CMakeLists.txt names it"),
    "built by part of a name": (
        "einsummable/graph/CMakeLists.txt",
        "target_sources(einsummable PRIVATE subgraph.cc)\n",
        "graph.cc: no CMakeLists.txt names it",
    ),
    "empty name": ("python/einsummable/graph_utils.py", PY, "a name that says nothing"),
    "twin": ("einsummable/graph/graph_v2.h", CC, "a name that says nothing"),
}


@pytest.mark.parametrize(("path", "text", "fault"), CASES.values(), ids=CASES.keys())
def test_broken_rule_is_found(path, text, fault):
    tree = GOOD | {path: text}
    if text is None:
        del tree[path]
    faults = check_tree.check(tree)
    if fault is None:
        assert faults == []
    else:
        assert len(faults) == 1, faults
        assert fault in faults[0]


def test_source_tested_elsewhere(monkeypatch):
    tree = {path: text for path, text in GOOD.items() if path != "tests/graph/graph_test.cc"}
    tested_by = {"einsummable/graph/graph.cc": "tests/ops/ops_test.cc"}
    monkeypatch.setattr(check_tree, "TESTED_BY", tested_by)
    assert "not both exist" in check_tree.check(tree)[0]
    tree |= {
        "tests/ops/ops_test.cc": CC,
        "tests/ops/CMakeLists.txt": "einsummable_test(ops ops_test.cc)",
    }
    assert check_tree.check(tree) == []


def test_the_checkout_is_read_without_binaries_and_ignored_files():
    files = check_tree.read_tree(Path(check_tree.__file__).resolve().parent.parent)
    assert "scripts/check_tree.py" in files
    assert not any(path.startswith(("build/", ".venv/")) for path in files)
