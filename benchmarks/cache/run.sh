#!/bin/sh
# ./dev bench cache: main.py beside the command of this build.
set -eu
CALLED_IN=$PWD
export CALLED_IN
cd "$0.runfiles/tributary"
exec /usr/bin/python3 -B -m benchmarks.cache.main "$@"
