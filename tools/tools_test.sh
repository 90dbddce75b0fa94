#!/usr/bin/env bash
# Entry of //tools:tools_test.
set -euo pipefail
exec /usr/bin/python3 -B tools/tools_test.py
