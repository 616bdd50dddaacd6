# SPDX-License-Identifier: Apache-2.0
"""The program of the paper's Section 2 runs as it stands there."""

import numpy as np
import pytest

import einsummable as es


def test_the_papers_program_runs_verbatim_to_a_result():
    tokens, d_model, d_ff, dtype = 16, 8, 24, "float32"
    graph = es.createGraph()
    x = graph.insertTensor(es.tensorDesc([tokens, d_model], dtype))
    w1 = graph.insertTensor(es.tensorDesc([d_model, d_ff], dtype))
    w2 = graph.insertTensor(es.tensorDesc([d_ff, d_model], dtype))
    act = graph.matmul(x, w1)
    hidden = graph.unary(act, "relu", 0.0)
    y = graph.matmul(hidden, w2)
    graph.save(y)
    es.compileGraph(graph, device=[0, 1, 2, 3], schedule_mode="naive")

    random = np.random.default_rng(0)
    a, b, c = (random.integers(-3, 4, tensor.shape).astype(np.float32) for tensor in (x, w1, w2))
    graph.load({x: a, w1: b, w2: c})
    graph.execute()
    assert np.array_equal(graph.offload(y), np.maximum(a @ b, 0) @ c)
    graph.load({x: -a})
    graph.execute()
    assert np.array_equal(graph.offload(y), np.maximum(-a @ b, 0) @ c)
    es.compileGraph(graph)


def test_the_third_argument_of_unary_is_the_functions_parameter():
    graph = es.createGraph()
    x = graph.insertTensor(es.tensorDesc([3], "float32"))
    graph.save(graph.unary(x, "relu", 0.5), name="leaky")
    graph.save(graph.unary(x, "pow", 3.0), name="cube")
    graph.save(graph.unary(x, "exp"), name="exp")
    es.compileGraph(graph, device=2)
    graph.load({x: np.array([-2, 0, 2], np.float32)})
    graph.execute()
    assert graph.offload("leaky").tolist() == [-1, 0, 2]
    assert graph.offload("cube").tolist() == [-8, 0, 8]


def test_mistakes_say_what_is_legal(monkeypatch):
    graph = es.createGraph()
    x = graph.insertTensor(es.tensorDesc([3], "float32"), name="x")
    with pytest.raises(es.GraphError, match="insertTensor takes a tensorDesc, not"):
        graph.insertTensor([3])
    with pytest.raises(es.GraphError, match="there is no unary operator 'add'"):
        graph.unary(x, "add")
    with pytest.raises(es.GraphError, match=r"exp has no parameter; 1.0 must be left out or 0"):
        graph.unary(x, "exp", 1.0)
    with pytest.raises(es.InputError, match="the graph is not compiled yet"):
        graph.execute()
    with pytest.raises(es.InputError, match="there is no result yet"):
        graph.offload(x)
    with pytest.raises(es.GraphError, match="compileGraph takes a graph of createGraph"):
        es.compileGraph(es.Graph())
    graph.save(x)
    es.compileGraph(graph, device=2)
    with pytest.raises(es.InputError, match=r'"x" is float32.3., and was never loaded'):
        graph.execute()
    monkeypatch.delenv("EINSUMMABLE_AI_URL", raising=False)
    with pytest.raises(es.Error, match="EINSUMMABLE_AI_URL is not set"):
        es.compileGraph(graph, schedule_mode="ai")
