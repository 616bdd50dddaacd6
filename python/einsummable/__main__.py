# SPDX-License-Identifier: Apache-2.0
"""Runs the command line: ``python -m einsummable``."""

import sys

from einsummable.cli import main

sys.exit(main())
