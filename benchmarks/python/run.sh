#!/bin/sh
# ./dev bench python: main.py with the package, torch and torch_geometric of this build.
set -eu
CALLED_IN=$PWD
# As torchrun sets it: a thread for each rank.
OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
# A test has its own.
TEST_SRCDIR=${TEST_SRCDIR:-$0.runfiles}
TEST_WORKSPACE=tributary
export CALLED_IN OMP_NUM_THREADS TEST_SRCDIR TEST_WORKSPACE
# shellcheck disable=SC2016  # expanded in the runfiles' folder
exec "$TEST_SRCDIR/$TEST_WORKSPACE/third_party/torch_python/with_torch.sh" sh -c '
  PYTHONPATH=$PWD/python:$PYTHONPATH
  TRIBUTARY_LIBRARY=$PWD/trainer_client/c/libtributary.so
  TRIBUTARY_PROGRAM=$PWD/cli/tributary
  export PYTHONPATH TRIBUTARY_LIBRARY TRIBUTARY_PROGRAM
  exec /usr/bin/python3 -B -m benchmarks.python.main "$@"' sh "$@"
