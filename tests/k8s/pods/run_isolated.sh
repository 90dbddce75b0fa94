#!/bin/sh
# sh_test's entry: run_isolated.sh MODULE. Runs it as run_python_test.sh does, as
# the first process of namespaces of its own (network, mounts, processes): what it
# makes is seen by no one else, and ends with it. Where this user may not make
# them, the module skips its tests by name.
set -eu
# dnsmasq and chroot are in sbin.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd "${TEST_SRCDIR:?run by bazel test}/${TEST_WORKSPACE:?}"
runner=tests/run_python_test.sh
if unshare --net --mount --pid --fork --kill-child --mount-proc true 2>/dev/null; then
  # shellcheck disable=SC2016  # its own arguments
  exec env TRIBUTARY_ISOLATED=1 unshare --net --mount --pid --fork --kill-child \
    --mount-proc sh -c 'ip link set lo up && exec "$0" "$1"' "$runner" "$1"
fi
exec "$runner" "$1"
