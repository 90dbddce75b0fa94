# shellcheck shell=bash
# Sourced by dev: runs tests and counts test cases.
: "${cache:?}"

sanitizers=(asan tsan)
fuzz_seconds=60
# What --deep runs, in this order; the names are those of its report.
deep_parts=("${sanitizers[@]}" fuzz clang-tidy odr simulation planted-bugs models
  examples stopped-minute shared-memory shared-memory-suite worker-chaos
  train-chaos loaders tensorflow torch-sparse browser)

# run_tests [--deep[=PART,...]] [TARGET...]. The last line counts, and the exit
# code says the same. The whole of --deep takes hours, so that its parts can be
# run one by one.
run_tests() {
  local parts=() started reports reports_dir
  case ${1:-} in
    --deep)
      parts=("${deep_parts[@]}")
      shift
      ;;
    --deep=*)
      IFS=, read -ra parts <<<"${1#*=}"
      check_parts "${parts[@]}" || return 2
      shift
      ;;
  esac
  [ $# -gt 0 ] || set -- //...
  started=$(now)
  if [ "${#parts[@]}" != 0 ]; then
    ensure_packages build test deep models
  else
    ensure_packages build test
  fi
  find "$cache/bazel" -type f -atime +14 -delete 2>/dev/null || true
  echo "time: setup $(since "$started")"

  reports_dir=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf '$reports_dir'" EXIT
  reports=()
  if [ "${#parts[@]}" = 0 ]; then
    test_once tests "" "$@"
  else
    local part
    for part in "${parts[@]}"; do
      run_deep_part "$part" "$@"
    done
  fi
  [ "$*" != //... ] || compile_cuda
  python3 tools/count_tests.py "${reports[@]}"
}

# check_parts PART...: each must be one of deep_parts.
check_parts() {
  local part
  [ $# -gt 0 ] || set -- ""
  for part in "$@"; do
    [[ $part && " ${deep_parts[*]} " == *" $part "* ]] && continue
    echo "dev: test --deep has no part \"$part\"; allowed: ${deep_parts[*]}" >&2
    return 1
  done
}

# run_deep_part PART TARGET...
run_deep_part() {
  local part=$1
  shift
  case $part in
    asan | tsan) test_once "$part" "--config=$part" "$@" ;;
    fuzz) fuzz_once "$@" ;;
    clang-tidy) check_once clang-tidy tidy_all ;;
    odr)
      check_once odr run_bazel build --config=odr //cli:tributary \
        //trainer_client/torch:tributary-train
      ;;
    simulation) check_once simulation simulate_deep ;;
    planted-bugs)
      # shellcheck source=tools/planted_bugs.sh
      . tools/planted_bugs.sh
      check_once planted-bugs find_planted_bugs
      ;;
    models)
      # shellcheck source=tools/models.sh
      . tools/models.sh
      check_once models check_models
      ;;
    examples) check_once examples train_examples ;;
    stopped-minute)
      check_once stopped-minute run_bazel test //tests/bounds:stopped_minute_test
      ;;
    shared-memory)
      check_once shared-memory run_bazel test //channel/shm/... \
        --runs_per_test=1000 --test_output=errors
      ;;
    shared-memory-suite)
      # Mostly waits for the dead to be noticed.
      check_once shared-memory-suite run_bazel test \
        //tests/channels:channel_conformance_test --test_filter='Mp*' \
        --runs_per_test=1000 --jobs=12 --local_test_jobs=12 --test_output=errors
      ;;
    worker-chaos)
      check_once worker-chaos run_bazel test //tests/e2e/fleet:worker_chaos_test \
        --test_env=TRIBUTARY_CHAOS_ROUNDS=2000 --test_timeout=7200
      ;;
    train-chaos)
      check_once train-chaos run_bazel test //tests/e2e/train:train_chaos_test \
        --test_env=TRIBUTARY_CHAOS_STOPS=50 --test_timeout=3600
      ;;
    loaders)
      # Openings of loaders in Python, in NumPy and in torch, and killed ranks.
      check_once loaders run_bazel test //tests/python:soak_test \
        //tests/python/pyg:soak_test --test_env=TRIBUTARY_OPENINGS=10000 \
        --test_env=TRIBUTARY_TORCH_OPENINGS=200 \
        --test_env=TRIBUTARY_KILLED_RANKS=200 --test_output=all \
        --test_timeout=7200
      ;;
    tensorflow)
      check_once tensorflow run_bazel test //tests/wheel:tensorflow_test
      ;;
    torch-sparse)
      check_once torch-sparse run_bazel test //tests/python/pyg:torch_sparse_test
      ;;
    browser)
      ensure_packages browser
      check_once browser run_bazel test //tests/e2e/status:browser_test
      ;;
  esac
}

# Runs the tests of the targets "${@:3}" with the flag $2; adds a report.
test_once() {
  local name=$1 flag=$2 started code=0 report=$reports_dir/$1.json
  shift 2
  started=$(now)
  echo "== $name"
  run_bazel test ${flag:+"$flag"} --keep_going --test_summary=terse \
    "--build_event_json_file=$report" "$@" || code=$?
  echo "time: build and $name $(since "$started")"
  reports+=("$name=$report:$code")
}

# clang-tidy, once the headers that it reads have been generated.
tidy_all() {
  run_bazel build //common/proto/... //cli:tributary && bash tools/clang_tidy.sh
}

# Trains the published benchmarks of docs/results.md.
train_examples() {
  run_bazel build //cli:tributary //trainer_client/torch:tributary-train \
    //examples/baselines:link_baseline &&
    TRIBUTARY=$PWD/bazel-bin/cli/tributary \
      TRIBUTARY_TRAIN=$PWD/bazel-bin/trainer_client/torch/tributary-train \
      LINK_BASELINE=$PWD/bazel-bin/examples/baselines/link_baseline \
      bash examples/train.sh all
}

# Compiles the one file that --config=cuda adds, where a CUDA toolkit has the
# headers for it. No GPU is needed.
compile_cuda() {
  local toolkit=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
  if [ ! -e "$toolkit/include/nccl.h" ]; then
    echo "left out: cuda-compiles, for there is no $toolkit/include/nccl.h"
    return 0
  fi
  check_once cuda-compiles run_bazel build \
    //trainer_client/torch/ddp:nccl_backend
}

# A check that is not made of test cases: it counts as one.
check_once() {
  local name=$1 started code=0
  shift
  started=$(now)
  echo "== $name"
  "$@" || code=$?
  echo "time: $name $(since "$started")"
  reports+=("$name=check:$code")
}

# Each fuzz test of TARGETs, for a minute; each counts as one. Targets without
# fuzz tests have nothing to fuzz.
fuzz_once() {
  local target
  # shellcheck source=tools/fuzz.sh
  . tools/fuzz.sh
  has_fuzzers "$@" || return 0
  check_once fuzz-build build_fuzzers "$@"
  for target in "${fuzzers[@]}"; do
    check_once "fuzz-${target##*:}" run_fuzzer "$fuzz_seconds" "$target"
  done
}

# A million schedules, on all cores, 5,000 in a process. Those that have passed
# are noted for this program, so that a run which was interrupted goes on.
# Each writes a graph of a few kilobytes, which takes a quarter of its time on a
# disk.
simulate_deep() {
  local program=bazel-bin/tests/sim/fleet_simulation_test each=5000 graphs
  local passed failed
  run_bazel build //tests/sim:fleet_simulation_test || return
  passed=$cache/simulation/$(sha256sum "$program" | cut -c 1-16)
  mkdir -p "$passed"
  graphs=$(mktemp -d -p "$(memory_folder)")
  failed=$reports_dir/simulation
  mkdir "$failed"
  # shellcheck disable=SC2064  # the folders of now
  trap "rm -rf '$reports_dir' '$graphs'" EXIT
  export -f simulate_some
  # shellcheck disable=SC2016  # for the inner shell
  seq 1 "$each" 1000000 | TEST_TMPDIR=$graphs xargs -P "$(nproc)" -I '{}' \
    bash -c 'simulate_some "$@"' - "$program" '{}' "$each" "$passed" "$failed"
  find "$failed" -type f -exec tail -n 30 {} +
  [ "$(find "$passed" -type f | wc -l)" = $((1000000 / each)) ]
}

# simulate_some PROGRAM FIRST NUMBER PASSED FAILED: the schedules of some seeds.
simulate_some() {
  local program=$1 first=$2 number=$3 passed=$4/$2 failed=$5/$2
  [ ! -e "$passed" ] || return 0
  if "$program" --gtest_filter='*RandomSchedules' "--first-seed=$first" \
    "--seeds=$number" >"$failed" 2>&1; then
    mv "$failed" "$passed"
  fi
}
