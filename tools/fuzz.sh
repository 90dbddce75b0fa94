# shellcheck shell=bash
# Sourced by dev: runs libFuzzer on fuzz tests.
: "${cache:?}" "${bazel:?}"

# run_fuzzers [--seconds N] [TARGET...]: each for N seconds (30). Fails when one
# found something, after all have run.
run_fuzzers() {
  local seconds=30 target failed=()
  case ${1:-} in
    --seconds)
      seconds=${2:-}
      shift
      [ $# -eq 0 ] || shift
      ;;
    --seconds=*)
      seconds=${1#*=}
      shift
      ;;
  esac
  if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "dev: fuzz --seconds \"$seconds\"; allowed: a whole number from 1" >&2
    return 2
  fi
  build_fuzzers "$@" || return 1
  for target in "${fuzzers[@]}"; do
    run_fuzzer "$seconds" "$target" || failed+=("$target")
  done
  [ "${#failed[@]}" = 0 ] && return
  echo "dev: findings of ${failed[*]}; see above" >&2
  return 1
}

# has_fuzzers [TARGET...]: sets fuzzers to the fuzz tests among them (all).
has_fuzzers() {
  mapfile -t fuzzers < <("$bazel" query \
    "attr(tags, fuzz, tests(set(${*:-//...})))" 2>/dev/null)
  [ "${#fuzzers[@]}" != 0 ]
}

build_fuzzers() {
  if ! has_fuzzers "$@"; then
    echo "dev: there are no fuzz tests in ${*:-//...}" >&2
    return 1
  fi
  run_bazel build --config=fuzz "${fuzzers[@]}"
}

# run_fuzzer SECONDS TARGET, which is built. Goes on where the cache's last run
# ended, and from the corpus beside the source.
run_fuzzer() {
  local seconds=$1 target=$2 name binary seeds found kept code=0 artifact
  local scratch symbolizer options
  scratch=$(memory_folder)
  name=${target##*:}
  binary=bazel-bin/${target#//}
  binary=${binary/://}
  seeds=$(dirname "${binary#bazel-bin/}")/corpus/${name%_fuzz_test}
  kept=$cache/fuzz/$name
  found=$cache/fuzz/found/$name
  mkdir -p "$kept" "$found"
  echo "== $target, $seconds s"
  touch "$found/.before"
  symbolizer=$(command -v llvm-symbolizer-16 llvm-symbolizer | head -n 1) || true
  options=malloc_context_size=8${symbolizer:+:external_symbolizer_path=$symbolizer}
  # A message may be 5 MiB, so no allocation of ours is near 256. The entropic
  # schedule costs more than the runs of what has thousands of features.
  ASAN_OPTIONS=$options TEST_TMPDIR=$scratch \
    "$binary" "-max_total_time=$seconds" -entropic=0 -len_control=0 \
    -max_len=4096 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 \
    -print_funcs=0 -print_final_stats=1 "-artifact_prefix=$found/" \
    "$kept" "$seeds" || code=$?
  [ "$code" = 0 ] && return
  for artifact in "$found"/*; do
    [ "$artifact" -nt "$found/.before" ] || continue
    echo "dev: $name found $artifact"
    echo "  again: $binary -timeout=10 -rss_limit_mb=2048" \
      "-malloc_limit_mb=256 '$artifact'"
    echo "  keep:  cp '$artifact' $seeds/found-WHAT   (then fix it)"
  done
  return 1
}
