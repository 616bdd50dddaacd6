# SPDX-License-Identifier: Apache-2.0
"""Models whose weights come in packages, ready to run."""

from einsummable.models.minilm import MiniLM

__all__ = ["MiniLM"]
