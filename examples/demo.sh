#!/usr/bin/env bash
# The whole way on one machine: partition Cora in two, serve it from two
# servers, train GraphSAGE with two DDP ranks, five random seeds; then the same
# training in every mode. Fails when the mean test accuracy is below 0.78, or
# losses differ between modes in any bit. Run by ./dev demo, which builds the
# programs; or with TRIBUTARY and TRIBUTARY_TRAIN naming them.
set -euo pipefail

tributary=${TRIBUTARY:-tributary}
tributary_train=${TRIBUTARY_TRAIN:-tributary-train}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=demo
input=${1:-$root/tests/data/cora}
seeds=${DEMO_SEEDS:-1 2 3 4 5}
wanted=0.78

# shellcheck source=examples/fleet.sh
. "$root/examples/fleet.sh"

training=(--nproc 2 --model sage --task node --num-neighbors '10,10'
  '--eval-num-neighbors=-1,-1' --batch-size 48 --hidden 64 --dropout 0.7
  --input-dropout 0.7 --lr 0.01 --weight-decay 0.0005 --row-normalize
  --no-progress)

# Five epochs with what is given; their losses, all digits of them.
losses() {
  local out=$work/mode-$1
  shift
  "$tributary_train" "$@" "${training[@]}" --epochs 5 --random-seed 1 \
    --log "$out.log" >"$out.out" 2>"$out.err" || return 1
  grep -o '"loss":[^,]*' "$out.log"
}

# One run; its epochs become a line that is drawn over, its result is printed.
train() {
  local seed=$1 out=$work/train-$1
  "$tributary_train" --servers "file:$work/servers.txt" "${training[@]}" \
    --epochs 40 --random-seed "$seed" >"$out.out" 2>"$out.err" &
  train_pid=$!
  while kill -0 "$train_pid" 2>/dev/null; do
    if [ -t 1 ]; then
      printf '\r\033[Kseed %s  %.70s' "$seed" "$(tail -n 1 "$out.out")"
    fi
    sleep 0.2
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
  wait "$train_pid" || fail "training with seed $seed failed"
  train_pid=
  tail -n 1 "$out.out" >"$out.result"
}

# --- the way -----------------------------------------------------------------

find_programs
begin=$(now)

step "1. partition Cora in 2 ($input)"
start=$(now)
"$tributary" partition --input "$input" --format ogb --out "$work/graph" \
  --num-parts 2 --method metis
partition_time=$(since "$start")

step "2. two servers, a partition each"
start=$(now)
start_fleet
serve_time=$(since "$start")

step "3. two trainer ranks, GraphSAGE, 40 epochs, seeds: $seeds"
start=$(now)
accuracies=()
for seed in $seeds; do
  train "$seed"
  result=$(cat "$work/train-$seed.result")
  accuracy=$(field test_accuracy "$result")
  [ -n "$accuracy" ] || fail "no accuracy in \"$result\""
  accuracies+=("$accuracy")
  printf 'seed %s  test %s  valid %s  best epoch %s  %s s\n' "$seed" \
    "$accuracy" "$(field valid_accuracy "$result")" \
    "$(field best_epoch "$result")" "$(field seconds "$result")"
done
train_time=$(since "$start")

step "4. five epochs of seed 1 in every mode: the same losses"
start=$(now)
remote=$(losses remote --servers "file:$work/servers.txt") ||
  fail "training in mode remote failed"
collocated=$(losses collocated --graph "$work/graph") ||
  fail "training in mode collocated failed"
mp=$(losses mp --graph "$work/graph" --mode mp --num-workers 2 \
  --worker-program "$(command -v "$tributary")") ||
  fail "training in mode mp failed"
[ "$(wc -l <<<"$remote")" -eq 5 ] || fail "no losses in \"$remote\""
[ "$collocated" = "$remote" ] || fail "other losses in mode collocated"
[ "$mp" = "$remote" ] || fail "other losses in mode mp"
echo "remote, collocated, mp: $(tail -n 1 <<<"$remote") in each"
modes_time=$(since "$start")

step "Result"
mean=$(printf '%s\n' "${accuracies[@]}" |
  awk '{ sum += $1 } END { printf "%.4f", sum / NR }')
echo "mean test accuracy $mean over ${#accuracies[@]} seeds (wanted: $wanted)"
echo "partition $partition_time, servers $serve_time, training $train_time," \
  "modes $modes_time," \
  "all $(since "$begin")"
awk -v a="$mean" -v b="$wanted" 'BEGIN { exit !(a >= b) }' ||
  fail "mean test accuracy $mean is below $wanted"

cat <<TEXT

What to try next:
  eval "\$(./dev path)"                   put both programs on your PATH
  tributary-train --help                  every option, with examples
  tributary sample --graph DIR ...        look at batches, one line each
  tributary generate rmat --help          a graph of any size
  docs/training.md                        several machines, torchrun, GPUs
The programs are $tributary
and $tributary_train
TEXT
