#!/bin/sh
# sh_test's entry of tests that import torch and torch_geometric: with_torch.sh
# COMMAND... runs a command of the checkout; it and its children can import them.
set -eu
cd "${TEST_SRCDIR:?run by bazel test}/${TEST_WORKSPACE:?}"
PYTHONPATH=$PWD/third_party/torch_python/startup
PYTHONPATH=$PYTHONPATH:$(cat external/torch_python/path.txt)
PYTHONPATH=$PYTHONPATH:$(cat external/torch_geometric/path.txt)
LD_LIBRARY_PATH=$PWD/external/torch_python/lib
export PYTHONPATH LD_LIBRARY_PATH
exec "$@"
