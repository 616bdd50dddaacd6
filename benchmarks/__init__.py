# SPDX-License-Identifier: Apache-2.0
"""How long planning and running take; one module a benchmark, started by ``benchmarks/run``."""
