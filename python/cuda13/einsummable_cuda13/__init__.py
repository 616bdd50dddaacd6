# SPDX-License-Identifier: Apache-2.0
"""The plugin that runs Einsummable's graphs on NVIDIA GPUs."""

from __future__ import annotations

import sys
from pathlib import Path

__version__ = "0.1.0"
__all__ = ["library_folders", "plugin"]


def plugin() -> str:
    """Give the path of the plugin.

    Returns
    -------
    str
        Of the shared object; it lies in this package.
    """
    return str(Path(__file__).parent / "libeinsummable_cuda.so")


def library_folders() -> list[str]:
    """Give the folders where the environment's packages have NVIDIA's libraries.

    Returns
    -------
    list of str
        Those that exist, in the order of ``sys.path``.
    """
    folders = ("nvidia/cu13/lib", "nvidia/cudnn/lib")
    found = (Path(place) / folder for place in sys.path if place for folder in folders)
    return [str(folder) for folder in found if folder.is_dir()]
