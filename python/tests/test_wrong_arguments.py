# SPDX-License-Identifier: Apache-2.0
"""An int that Python does not print, where something else belongs, is an error of the library."""

import numpy as np
import pytest

import einsummable as es

HUGE = 10**5000
HUGE_ARGUMENTS = {
    "dtype of a tensor": lambda g, x: g.tensor([3], HUGE),
    "dtype of a cast": lambda g, x: g.cast(x, HUGE),
    "dtypes": lambda g, x: g.cast(x, [HUGE]),
    "shape": lambda g, x: g.tensor([HUGE]),
    "shape of a list": lambda g, x: g.tensor([[HUGE]]),
    "name": lambda g, x: g.relu(x, name=HUGE),
    "operator": lambda g, x: g.apply(HUGE, [x]),
    "operand": lambda g, x: x + HUGE,
    "operands": lambda g, x: g.concat(HUGE),
    "attribute": lambda g, x: g.apply("relu", [x], {HUGE: 1}),
    "position": lambda g, x: x[HUGE],
    "positions": lambda g, x: x[[HUGE]],
    "saved tensor": lambda g, x: g.save(HUGE),
    "name of a saved tensor": lambda g, x: g.save(x, HUGE),
    "constant": lambda g, x: g.constant([HUGE]),
    "approximation": lambda g, x: g.gelu(x, HUGE),
    "text": lambda g, x: es.parse_graph(HUGE),
    "graph": lambda g, x: es.plan(HUGE),
    "devices": lambda g, x: es.plan(g, devices=HUGE),
    "list of devices": lambda g, x: es.plan(g, devices=[HUGE]),
    "selector": lambda g, x: es.plan(g, devices=2, selector=HUGE),
    "objective": lambda g, x: es.plan(g, devices=2, objective=[HUGE]),
    "specs": lambda g, x: es.plan(g, devices=2, specs=HUGE),
    "operator of specs": lambda g, x: es.plan(g, devices=2, specs={HUGE: {"i0": 2}}),
    "index of specs": lambda g, x: es.plan(g, devices=2, specs={"r": {HUGE: 2}}),
    "count of specs": lambda g, x: es.plan(g, devices=2, specs={"r": {"i0": HUGE}}),
    "plan": lambda g, x: es.compile(g, plan=HUGE),
    "explained": lambda g, x: es.plan(g, devices=2).explain(HUGE),
    "path": lambda g, x: es.load_plan(HUGE),
    "saved path": lambda g, x: es.plan(g, devices=2).save(HUGE),
    "input": lambda g, x: es.compile(g, devices=2)({HUGE: np.ones(3)}),
    "value of an input": lambda g, x: es.compile(g, devices=2)({"x": HUGE}),
    "result": lambda g, x: es.compile(g, devices=2)({"x": np.ones(3, np.float32)})[HUGE],
    "size of a workload": lambda g, x: es.workloads.ffn(HUGE, 2, 2),
    "name of a workload": lambda g, x: es.workloads.chain(HUGE),
}


@pytest.mark.parametrize("argument", HUGE_ARGUMENTS)
def test_an_int_too_long_to_print_is_an_error_of_the_library(argument):
    g = es.Graph()
    x = g.tensor([3], name="x")
    g.save(g.relu(x, name="r"), name="y")
    with pytest.raises(es.Error):
        HUGE_ARGUMENTS[argument](g, x)
