"""The package tributary_gnn, as users of Python have it. Its C library and the program of
its workers are those of this build, for these tests and the programs that they start."""

import os
import sys

PACKAGES = os.path.abspath("python")
LIBRARY = os.path.abspath("trainer_client/c/libtributary.so")

sys.path.insert(0, PACKAGES)
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (PACKAGES, os.environ.get("PYTHONPATH"))))
os.environ["TRIBUTARY_LIBRARY"] = LIBRARY
os.environ["TRIBUTARY_PROGRAM"] = os.path.abspath("cli/tributary")
