# SPDX-License-Identifier: Apache-2.0
"""The errors of the core reach Python as classes of the same names."""

import pickle
import re
from pathlib import Path

import error_probe
import pytest

import einsummable as es

ERRORS = [
    es.DeviceError,
    es.Error,
    es.ExchangeError,
    es.GraphError,
    es.InputError,
    es.MemoryLimitError,
    es.PlanError,
    es.TopologyError,
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_core_error_is_raised_as_the_class_of_its_name(error):
    message = 'matmul "up": 6 must be 5, for a name such as "größe"'
    with pytest.raises(es.Error) as caught:
        getattr(error_probe, error.__name__)(message)
    assert type(caught.value) is error
    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == message


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_error_is_known_by_its_public_name(error):
    assert error.__module__ == "einsummable"
    assert error.__doc__
    again = pickle.loads(pickle.dumps(error("no")))
    assert type(again) is error
    assert again.args == ("no",)


def test_a_bug_of_ours_is_no_mistake_of_the_user():
    with pytest.raises(RuntimeError, match=r"internal error: the probe holds") as caught:
        error_probe.ensure_fails()
    assert not isinstance(caught.value, ValueError)


def test_version_is_the_one_of_the_build():
    project = (Path(__file__).parents[2] / "CMakeLists.txt").read_text()
    assert re.search(r"project\(einsummable VERSION (\S+)", project)[1] == es.__version__
