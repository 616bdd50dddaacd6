# SPDX-License-Identifier: Apache-2.0
"""The command line: ``einsummable doctor | demo | plan | run | topology``."""

from einsummable.cli.main import main

__all__ = ["main"]
