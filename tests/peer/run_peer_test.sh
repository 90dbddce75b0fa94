#!/bin/sh
# sh_test's entry: run_peer_test.sh MODULE, by the Python of TRIBUTARY_PEER_PYTHON,
# which has the libraries to compare with.
set -eu
cd "${TEST_SRCDIR:?run by bazel test}/${TEST_WORKSPACE:?}"
python=${TRIBUTARY_PEER_PYTHON:?is not set: a Python that has torch and torch_geometric}
exec "$python" -B -m tests.run "$1"
