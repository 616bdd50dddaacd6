# SPDX-License-Identifier: Apache-2.0
"""A transformer block with packed sequences: written once, planned for several device counts.

python examples/llama_block.py --devices 3 8 --sequences 300 100 112
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np

import einsummable as es

D_MODEL, HEADS, KV_HEADS, HEAD_DIM, D_FF = 256, 8, 4, 32, 688


def block(lengths: list[int]) -> es.Graph:
    """Write the block: causal attention within each sequence, then a gated feed-forward network."""
    tokens, ends = sum(lengths), list(itertools.accumulate(lengths))
    g = es.Graph()

    def weight(name: str, *shape: int) -> es.Tensor:
        return g.parameter(shape, "float32", name=name)

    def heads(x: es.Tensor, name: str, count: int) -> es.Tensor:
        flat = g.matmul(x, weight(f"w_{name}", D_MODEL, count * HEAD_DIM), name=name)
        return flat.reshape([tokens, count, HEAD_DIM]).transpose([1, 0, 2])

    x = g.tensor([tokens, D_MODEL], "float32", name="x")
    positions = g.tensor([tokens], "int32", name="positions")
    norm1 = es.rms_norm(x, weight("w_norm1", D_MODEL), eps=1e-5, name="norm1")
    q = es.rope(heads(norm1, "q", HEADS), positions, name="rope_q")
    k = es.rope(heads(norm1, "k", KV_HEADS), positions, name="rope_k")
    v = heads(norm1, "v", KV_HEADS)
    attended = es.attention(q, k, v, ends=ends, causal=True, name="attention")
    flat = attended.transpose([1, 0, 2]).reshape([tokens, HEADS * HEAD_DIM])
    x1 = es.add(x, flat @ weight("w_o", HEADS * HEAD_DIM, D_MODEL), name="residual1")

    norm2 = es.rms_norm(x1, weight("w_norm2", D_MODEL), eps=1e-5, name="norm2")
    gate = g.matmul(norm2, weight("w_gate", D_MODEL, D_FF), name="gate")
    up = g.matmul(norm2, weight("w_up", D_MODEL, D_FF), name="up")
    down = g.matmul(es.silu(gate) * up, weight("w_down", D_FF, D_MODEL), name="down")
    g.save(es.add(x1, down, name="residual2"), name="y")
    return g


def main() -> int:
    """Plan and run the block for each number of devices; 1 if the results differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 3, 8])
    parser.add_argument("--sequences", type=int, nargs="+", default=[300, 100, 112])
    options = parser.parse_args()

    g = block(options.sequences)
    rng = np.random.default_rng(0)
    arrays = {
        name: (rng.standard_normal(t.shape) / np.sqrt(t.shape[0])).astype(np.float32)
        for name, t in g.parameters.items()
    }
    arrays["x"] = rng.standard_normal(g.inputs["x"].shape, np.float32)
    positions = np.concatenate([np.arange(n) for n in options.sequences])
    arrays["positions"] = positions.astype(np.int32)

    results = []
    for devices in options.devices:
        exe = es.compile(g, devices=devices)
        results.append(exe(arrays)["y"])
        print(f"\n{devices} devices")
        print(exe.plan)
    difference = max(np.abs(y - results[0]).max() for y in results)
    print(f"largest difference between the results: {difference:.1e}")
    return 0 if difference < 1e-4 else 1


if __name__ == "__main__":
    raise SystemExit(main())
