#!/bin/sh
# sh_test's entry: run_python_test.sh MODULE. Debian's python3 with
# python3-numpy; the runfiles' root is the import root.
set -eu
cd "${TEST_SRCDIR:?run by bazel test}/${TEST_WORKSPACE:?}"
exec /usr/bin/python3 -B -m tests.run "$1"
