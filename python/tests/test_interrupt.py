# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C stops planning, searching and compiling; a graph may grow in another thread meanwhile."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import einsummable as es
from einsummable import workloads

ROOT = Path(es.__file__).parents[1]

MOST = 3.0
"""Seconds from Ctrl-C to KeyboardInterrupt, on a busy machine."""

WORK = {
    "a workload is built": ("None", "workloads.llama(100_000)"),
    "a graph is copied": ("workloads.llama(3_000)", "es.plan(made, devices=8)"),
    "a graph is planned": ("workloads.llama(200)", "es.plan(made, devices=72)"),
    "a graph is compiled": ("workloads.llama(30)", "es.compile(made, devices=16)"),
    "exchange programs are searched for": (
        "workloads.llama_block()",
        "es.plan(made, devices=72, topology='gb200-nvl72', objective='proxy')",
    ),
    "one program is searched for": (
        "es.exchange.collective('all-to-all', 72, 1 << 30)",
        "es.exchange.synthesize(made, 'gb200-nvl72')",
    ),
    "an operator is explained": (
        "es.plan(workloads.llama(60), devices=8)",
        "made.explain('layers.7.up')",
    ),
}

SCRIPT = """
import os, signal, sys, time
import einsummable as es
from einsummable import workloads
made = {setup}
after = float(sys.argv[1])
signal.signal(signal.SIGALRM, signal.default_int_handler)
sent = time.monotonic() + after
signal.setitimer(signal.ITIMER_REAL, after)
try:
    while True:
        {work}
except KeyboardInterrupt:
    print(time.monotonic() - sent, flush=True)
    os._exit(0)
"""


@pytest.mark.parametrize("after", [0.05, 0.7])
@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_stops_while(name, after):
    setup, work = WORK[name]
    script = SCRIPT.format(setup=setup, work=work)
    command = [sys.executable, "-c", script, str(after)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < MOST


def test_ctrl_c_stops_the_command_line():
    command = [sys.executable, "-m", "einsummable", "plan", "llama", "--layers", "100000"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in said
    assert time.monotonic() - started < 2 * MOST


def test_an_exception_of_another_signal_is_raised():
    def handle(*_):
        raise RuntimeError("alarm")

    before = signal.signal(signal.SIGALRM, handle)
    graph = workloads.llama(100)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(RuntimeError, match="alarm"):
            while True:
                es.plan(graph, devices=8)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_graph_may_grow_while_it_is_planned():
    graph = es.Graph()
    x = graph.tensor([8, 8], name="x")
    graph.save(graph.relu(x, name="first"), name="y")
    stop = threading.Event()

    def grow():
        last = x
        while not stop.is_set():
            last = graph.neg(last)
            if len(graph.tensors) % 50 == 0:
                graph.save(last)
                time.sleep(0.02)

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        sizes = []
        while len(sizes) < 8 or len(set(sizes)) < 4:
            plan = es.plan(graph, devices=2)
            assert str(es.parse_graph(str(plan.graph))) == str(plan.graph)
            sizes.append(len(plan.specs))
            assert set(plan.graph.saved) >= {"y"}
            assert es.compile(graph, devices=2, selector="greedy").verify()
    finally:
        stop.set()
        thread.join()
    assert sizes == sorted(sizes)
