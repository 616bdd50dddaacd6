# SPDX-License-Identifier: Apache-2.0
"""Plans within a memory limit: they fit, run, cost no less, or the error says what would fit."""

import re

import numpy as np
import pytest

import einsummable as es
from einsummable import workloads
from einsummable.cli.main import main


def network() -> es.Graph:
    return workloads.ffn(64, 256, 512, "float32")


def arrays(graph: es.Graph) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {"x": (64, 256), "w1": (256, 512), "w2": (512, 256)}
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize("private_sites", [False, True])
def test_the_plan_that_fits_runs_to_the_same_result(private_sites):
    graph = network()
    given = arrays(graph)
    options = {"devices": 4, "objective": "proxy", "private_sites": private_sites}
    free = es.compile(graph, **options)
    limit = free.peak_bytes - 1
    exe = es.compile(graph, memory_limit=limit, **options)
    assert exe.peak_bytes <= limit
    assert exe.plan.cost > free.plan.cost
    assert "more than the best" in str(exe.plan)
    np.testing.assert_allclose(exe(given)["y"], free(given)["y"], rtol=1e-4, atol=1e-2)
    assert exe.verify().ok


def test_the_error_names_a_limit_that_fits():
    with pytest.raises(es.MemoryLimitError, match="no plan was found that fits 1000 B") as caught:
        es.plan(network(), devices=4, memory_limit=1000)
    found = re.search(r"a limit of ([\d.]+) (MB|B) would do", str(caught.value))
    assert found
    limit = int(float(found[1]) * (1e6 if found[2] == "MB" else 1))
    assert es.compile(network(), devices=4, memory_limit=limit).peak_bytes <= limit
    for part in ("parameters", "inputs", "activations and partial results", "workspace"):
        assert part in str(caught.value)


@pytest.mark.parametrize("objective", ["proxy", "time"])
def test_a_plan_for_a_machine_fits_its_devices(objective):
    options = {"devices": 4, "topology": "dgx-a100", "objective": objective}
    graph = network()
    free = es.compile(graph, private_sites=True, **options)
    limit = free.peak_bytes - 1
    plan = es.plan(graph, memory_limit=limit, **options)
    exe = es.compile(graph, plan=plan, private_sites=True, memory_limit=limit)
    assert exe.peak_bytes <= limit


def test_the_command_line_plans_within_a_limit(capsys):
    block = ["plan", "llama-block", "--tokens", "1x8K", "--devices", "8"]
    block += ["--topology", "dgx-a100", "--objective", "proxy"]
    costs = []
    for limit in ("40GB", "250MB"):
        assert main([*block, "--memory-limit", limit]) == 0
        found = re.search(r"total (\d+) elements", capsys.readouterr().out)
        assert found
        costs.append(int(found[1]))
    assert costs[0] < costs[1]
    assert main([*block, "--memory-limit", "1MB"]) != 0
    assert "MemoryLimitError: no plan was found that fits 1.0 MB" in capsys.readouterr().err
