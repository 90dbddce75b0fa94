#!/bin/sh
# ./dev bench peers: main.py with the program of this build.
set -eu
CALLED_IN=$PWD
# A test has its own.
TEST_SRCDIR=${TEST_SRCDIR:-$0.runfiles}
cd "$TEST_SRCDIR/tributary"
TRIBUTARY_PROGRAM=$PWD/cli/tributary
export CALLED_IN TRIBUTARY_PROGRAM
exec /usr/bin/python3 -B -m benchmarks.peers.main "$@"
