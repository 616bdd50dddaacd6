# SPDX-License-Identifier: Apache-2.0
"""Fixed seeds, and Ctrl-C that raises."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# The same examples on every run; a busy machine is no failure.
full = "EINSUMMABLE_TEST_FULL" in os.environ
settings.register_profile(
    "einsummable", deadline=None, derandomize=True, max_examples=2000 if full else 100
)
settings.load_profile("einsummable")


@pytest.fixture(autouse=True, scope="session")
def ctrl_c_raises() -> Iterator[None]:
    """Let Ctrl-C raise, here and in what tests start, where the tests run with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
