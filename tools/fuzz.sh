# shellcheck shell=bash
# Sourced by dev: runs libFuzzer on fuzz tests.
: "${cache:?}" "${bazel:?}"

# run_fuzzers [TARGET...]: each for FUZZ_SECONDS. What was found stays in the
# cache's fuzz/ and is where the next run goes on.
run_fuzzers() {
  local targets=("$@") target binary corpus
  if [ $# -eq 0 ]; then
    mapfile -t targets < <("$bazel" query 'attr(tags, fuzz, tests(//...))' 2>/dev/null)
  fi
  if [ "${#targets[@]}" = 0 ]; then
    echo "dev: there are no fuzz tests" >&2
    return 1
  fi
  run_bazel build --config=fuzz "${targets[@]}"
  for target in "${targets[@]}"; do
    binary=bazel-bin/${target#//}
    binary=${binary/://}
    corpus=$cache/fuzz/${target##*:}
    mkdir -p "$corpus"
    echo "== $target, ${FUZZ_SECONDS:-30} s"
    "$binary" -max_total_time="${FUZZ_SECONDS:-30}" -rss_limit_mb=4096 \
      -print_final_stats=1 -artifact_prefix="$corpus/found-" "$corpus"
  done
}
