#!/usr/bin/env bash
# clang-tidy, with clang's thread-safety analysis, over the C++ files that do not
# need LibTorch, or those in "$@". Not over tests, which would double the time:
# those run under the sanitizers.
# Generated headers must exist: `./dev test --deep=clang-tidy` builds first.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if [ $# -eq 0 ]; then
  mapfile -t own < <(git ls-files '*.cc' | grep -v \
    -e '^trainer_client/torch/' -e '^third_party/' -e '_test\.cc$')
  set -- "${own[@]}"
fi
# tidy FILE: as .bazelrc compiles it. Counts of suppressed warnings are noise.
tidy() {
  clang-tidy-16 --quiet "$1" -- -std=c++20 -march=x86-64-v2 -Wthread-safety \
    -I. -Ibazel-bin \
    -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL 2> >(grep -v ' generated\.$' >&2)
}
export -f tidy
# shellcheck disable=SC2016  # for the inner shell
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'tidy "$0"'
