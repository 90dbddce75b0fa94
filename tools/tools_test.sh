#!/usr/bin/env bash
# Entry of the tests of this folder: tools_test.sh FILE.py.
set -euo pipefail
exec /usr/bin/python3 -B "$1"
