# SPDX-License-Identifier: Apache-2.0
"""Lets tests import the pure Python subpackages, such as ``models``, without the extension."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "einsummable"))
