# SPDX-License-Identifier: Apache-2.0
"""What the paper measured on its machines, in ms, by workload as `cases.WORKLOADS` names it.

Figures 1 to 6 print a number above each bar; which bar a number belongs to is settled by its place,
and by the geometric means of Section 6.2 (8.97 ms for the block on eight A100).
"""

from __future__ import annotations

A100 = "dgx-a100"
V100 = "dgx-v100"

_A100_BLOCK = {
    ("block 1x8K", 1): 19.2,
    ("block 1x8K", 4): 6.06,
    ("block 1x8K", 8): 4.01,
    ("block 1x128K", 1): 860.0,
    ("block 1x128K", 4): 269.0,
    ("block 1x128K", 8): 143.0,
    ("block 8x1K", 1): 16.2,
    ("block 8x1K", 4): 4.16,
    ("block 8x1K", 8): 2.51,
    ("block 128x1K", 1): 224.0,
    ("block 128x1K", 4): 66.9,
    ("block 128x1K", 8): 33.3,
}
_A100_CHAINS = {
    ("chain A", 8): 5.85,
    ("chain B", 8): 2.81,
    ("chain C", 8): 1.30,
    ("chain D", 8): 5.77,
    ("chain E", 8): 9.08,
}
_V100_BLOCK = {
    ("block 1x1K", 8): 2.33,
    ("block 1x8K", 8): 29.0,
    ("block 1x128K", 8): 5036.0,
    ("block 8x1K", 8): 8.11,
    ("block 128x1K", 8): 132.0,
}
_V100_CHAINS = {
    ("chain A", 8): 17.8,
    ("chain B", 8): 7.67,
    ("chain C", 8): 3.74,
    ("chain D", 8): 18.3,
    ("chain E", 8): 31.1,
}

EINSUMMABLE: dict[tuple[str, str, int], tuple[float, str]] = {
    (machine, workload, gpus): (ms, source)
    for machine, source, times in (
        (A100, "Section 6.1, Experiment 1", {("block 1x1K", 8): 1.21}),
        (A100, "Figure 1", _A100_BLOCK),
        (A100, "Figure 4", _A100_CHAINS),
        (V100, "Figure 5", _V100_BLOCK),
        (V100, "Figure 6", _V100_CHAINS),
    )
    for (workload, gpus), ms in times.items()
}
"""Einsummable with optimised exchange programs: (machine, workload, GPUs) -> (ms, its source).

In Figure 4 the lowest bars of chain B are 2.66 and 2.81; with 2.81 the median random plan is 34 %
slower over the five chains, as Section 6.2 has it.
"""

NAIVE_V100 = {
    "block 1x1K": 2.51,
    "block 1x8K": 32.3,
    "block 1x128K": 5070,
    "block 8x1K": 8.82,
    "block 128x1K": 132,
    "chain A": 25.1,
    "chain B": 10.1,
    "chain C": 3.73,
    "chain D": 18.4,
    "chain E": 31.0,
}
"""Naive exchange programs on eight V100 (Figures 5 and 6).

The two bars of chains C, D and E differ by less than 0.6 %, and which is which is not sure.
"""

NAIVE_GAIN = {(A100, "block"): 1.006}
"""Naive over optimised time on eight GPUs, geometric means over a family (Section 6.2).

On eight V100 it is 1.056 for the block, which the figures above give as well.
"""

RANDOM_BEST = {
    "block 1x1K": 2.16,
    "block 1x8K": 5.82,
    "block 1x128K": 181,
    "block 8x1K": 7.15,
    "block 128x1K": 104,
}
"""The best of 20 random plans on eight A100 (Figure 3)."""

RANDOM_MEDIAN = {
    "block 1x1K": 2.67,
    "block 1x8K": 9.39,
    "block 1x128K": 221,
    "block 8x1K": 8.74,
    "block 128x1K": 128,
    "chain A": 8.32,
    "chain B": 4.22,
    "chain C": 1.59,
    "chain D": 7.82,
    "chain E": 11.2,
}
"""The median of 20 random plans on eight A100 (Figures 3 and 4)."""

SELECTORS = {
    ("block", "greedy"): 1.023,
    ("block", "best"): 17.6 / 8.97,
    ("block", "median"): 22.8 / 8.97,
    ("chain", "greedy"): 1.07,
    ("chain", "best"): 1.03,
    ("chain", "median"): 1.34,
}
"""Time over that of the optimal plan on eight A100, geometric means over a family (Section 6.2)."""

CORRELATION = {
    "block 1x1K": 0.72,
    "block 1x8K": 0.92,
    "block 1x128K": 0.80,
    "block 8x1K": 0.85,
    "block 128x1K": 0.75,
    "chain A": 0.73,
    "chain B": 0.81,
    "chain C": 0.87,
    "chain D": 0.47,
    "chain E": 0.92,
}
"""Pearson correlation of predicted cost and measured time of 20 random plans (Table 1)."""
