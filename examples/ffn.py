# SPDX-License-Identifier: Apache-2.0
"""A feed-forward network on any number of virtual devices: its plan, why, and its result.

python examples/ffn.py --devices 8 --tokens 1024
"""

from __future__ import annotations

import argparse

import numpy as np

import einsummable as es


def main() -> int:
    """Compile, run, and compare with float64 NumPy; 1 if the results differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--d-model", type=int, default=512)
    parser.add_argument("--d-ff", type=int, default=2048)
    options = parser.parse_args()

    g = es.Graph()
    x = g.tensor([options.tokens, options.d_model], "float32", name="x")
    w1 = g.parameter([options.d_model, options.d_ff], "float32", name="w1")
    w2 = g.parameter([options.d_ff, options.d_model], "float32", name="w2")
    hidden = es.relu(g.matmul(x, w1, name="up"), name="hidden")
    g.save(g.matmul(hidden, w2, name="down"), name="y")

    exe = es.compile(g, devices=options.devices)
    print(exe.plan)
    print(exe.plan.explain("down"))
    for check in exe.verify().checks:
        print(f"{check.name:18} {check.count}")

    rng = np.random.default_rng(0)
    arrays = {t.name: rng.standard_normal(t.shape, np.float32) for t in (x, w1, w2)}
    y = exe(arrays)["y"]
    exact = np.maximum(arrays["x"].astype(np.float64) @ arrays["w1"], 0) @ arrays["w2"]
    difference = np.abs(y - exact).max() / np.abs(exact).max()
    print(f"largest difference from float64 NumPy: {difference:.1e} of the largest value")
    return 0 if difference < 1e-5 else 1


if __name__ == "__main__":
    raise SystemExit(main())
