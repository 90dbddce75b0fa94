# shellcheck shell=bash
# Sourced by dev: has Spin look at every state of tests/models, and at whether
# it finds each fault that is planted there. tests/models/README.md explains.
: "${root:?}" "${cache:?}"

model_memory=4096 # MiB, of one run
model_seconds=1800 # of CPU time, of one run
model_depth=10000

# What happens, what must hold (safety, or an ltl claim), the model's flags.
model_runs=(
  "nothing goes wrong; three batches|safety|-DINDICES=3"
  "a worker crashes; three batches|safety|-DINDICES=3 -DCRASHES=1"
  "a worker crashes; three batches|all_delivered|-DINDICES=3 -DCRASHES=1"
  "a worker crashes; three batches|all_returned|-DINDICES=3 -DCRASHES=1"
  "a worker crashes; three batches|slot_returns|-DINDICES=3 -DCRASHES=1"
  "a worker crashes, twice|safety|-DCRASHES=2"
  "a worker closes a stream|safety|-DCLOSES=1"
  "a worker closes a stream|all_returned|-DCLOSES=1"
  "a worker closes a stream, one crashes|safety|-DCLOSES=1 -DCRASHES=1"
  "a batch cannot be made at first|safety|-DERRORS=1 -DCRASHES=1"
  "a batch cannot be made at first|all_returned|-DERRORS=1 -DCRASHES=1"
  "the trainer is hasty|safety|-DHASTES=1"
  "a worker freezes for ever, one dies; three slots|safety|-DSLOTS=3 -DFREEZES=1 -DNO_THAW -DCRASHES=1"
  "a worker freezes for ever; three slots, batches|all_delivered|-DINDICES=3 -DSLOTS=3 -DFREEZES=1 -DNO_THAW"
  "a worker freezes and thaws|all_delivered|-DFREEZES=1"
  "a worker freezes and thaws|all_returned|-DFREEZES=1"
)

# What is found, and the verifier's words for it.
declare -A model_findings=(
  ["a write into another's slot"]="assertion violated.*task"
  ["a second delivery"]="assertion violated.*delivered"
  ["a slot let go of twice"]="assertion violated.*pins"
  ["a deadlock"]="invalid end state"
  ["a batch that never comes"]="acceptance cycle"
)

# A fault, what must fail, what is found, the model's flags.
model_faults=(
  "FREE_AT_CLOSE|safety|a write into another's slot|-DFREEZES=1"
  "COUNT_LATE|safety|a write into another's slot|-DCLOSES=1"
  "CLOSE_WHILE_HELD|safety|a write into another's slot|-DCLOSES=1"
  "READY_EARLY|safety|a write into another's slot|"
  "READY_UNCHECKED|safety|a second delivery|-DHASTES=1"
  "RELEASED_TWICE|safety|a slot let go of twice|-DHASTES=1"
  "NEVER_SHUT|safety|a deadlock|-DCLOSES=1"
  "LOST_BATCH|all_delivered|a batch that never comes|-DCRASHES=1"
  "NO_EVICTION|all_delivered|a batch that never comes|-DINDICES=3 -DSLOTS=3 -DFREEZES=1 -DNO_THAW"
)

# check_models: one line for each run; fails when one is not as it should be.
check_models() {
  local run failed=0
  model_dir=$(mktemp -d "$cache/models.XXXXXX")
  for run in "${model_runs[@]}"; do
    check_model "$run" || failed=1
  done
  for run in "${model_faults[@]}"; do
    find_model_fault "$run" || failed=1
  done
  rm -rf "$model_dir"
  return $failed
}

# run_model CLAIM FLAG...: what Spin's verifier prints is in $model_dir/log.
run_model() {
  local claim=$1 compile=(-DCOLLAPSE -DNOFAIR) check=(-a -N "$1")
  shift
  if [ "$claim" = safety ]; then
    compile=(-DCOLLAPSE -DSAFETY -DNOCLAIM)
    check=()
  fi
  (
    cd "$model_dir" || exit 1
    rm -f ./*
    ulimit -t "$model_seconds"
    spin "$@" -a "$root/tests/models/slots.pml" >log 2>&1 &&
      gcc -O2 -w "-DMEMLIM=$model_memory" "${compile[@]}" -o pan pan.c \
        >>log 2>&1 &&
      ./pan "-m$model_depth" "${check[@]}" >log 2>&1
  )
}

# Whether every state was seen, none of them wrong.
model_holds() {
  grep -q 'errors: 0$' "$model_dir/log" &&
    ! grep -Eq 'Search not completed|max search depth too small' \
      "$model_dir/log"
}

# "12345 states", of the last run.
model_states() {
  grep -Eo '[0-9.e+]+ states, stored' "$model_dir/log" |
    tail -1 | sed 's/, stored//'
}

check_model() {
  local what claim flags started code=0
  IFS='|' read -r what claim flags <<<"$1"
  started=$(now)
  # shellcheck disable=SC2086  # flags are words
  run_model "$claim" $flags || code=$?
  if [ "$code" = 0 ] && model_holds; then
    echo "PASS $claim: $what: $(model_states), $(since "$started")"
    return 0
  fi
  echo "FAIL $claim: $what ($flags), exit $code"
  show_model_trail
  return 1
}

find_model_fault() {
  local name claim finding flags started
  IFS='|' read -r name claim finding flags <<<"$1"
  started=$(now)
  # shellcheck disable=SC2086
  run_model "$claim" "-DFAULT_$name" $flags || true
  if grep -q "^pan:.*${model_findings[$finding]}" "$model_dir/log"; then
    echo "PASS fault $name: $finding: $(model_states), $(since "$started")"
    return 0
  fi
  echo "FAIL fault $name: NOT FOUND by $claim ($flags)"
  show_model_trail
  return 1
}

# The verifier's words, and the last steps before what it found.
show_model_trail() {
  head -20 "$model_dir/log"
  [ ! -e "$model_dir/slots.pml.trail" ] ||
    (cd "$model_dir" && ./pan -r -n 2>&1 | tail -60)
}
