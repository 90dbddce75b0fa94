"""The commands that a wheel installs: `tributary`, and a word on `tributary-train`."""

from __future__ import annotations

import os
import sys


def run_tributary() -> None:
    """Becomes the program $TRIBUTARY_PROGRAM, else the wheel's, with this process's
    arguments. Another one in PATH may be this command."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tributary")
    path = os.environ.get("TRIBUTARY_PROGRAM") or own
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tributary: {path}: {error.strerror}; allowed: the path of the program "
                 "in $TRIBUTARY_PROGRAM")


def explain_tributary_train() -> None:
    """Says where the trainer is to be had, and ends with 1."""
    sys.exit("tributary-train: not in this wheel, because it links LibTorch. In a checkout "
             "of Tributary, ./dev build builds it and ./dev images trainer makes a "
             "container image of it")
