# shellcheck shell=bash
# Sourced by dev: looks whether the simulation finds each bug that
# tests/sim/planted_bugs/ plants.
: "${root:?}" "${cache:?}" "${bazel:?}"

# What CI runs too; a bug that hides longer than this is not found.
planted_bug_seeds=10000
# A run that has found nothing until then is none that has found it.
planted_bug_limit=30m

# find_planted_bugs [NAME...]: prints the seed that finds each; fails when one
# is not found. The tree is copied, as it is, and built once a bug.
find_planted_bugs() {
  local copy=$cache/planted-bugs name failed=0
  if [ $# -eq 0 ]; then
    for name in tests/sim/planted_bugs/*.patch; do
      set -- "$@" "$(basename "$name" .patch)"
    done
  fi
  rm -rf "$copy"
  mkdir -p "$copy"
  git ls-files -z --cached --others --exclude-standard |
    tar --null --files-from=- --create --ignore-failed-read 2>/dev/null |
    tar --extract --directory="$copy"
  for name in "$@"; do
    find_planted_bug "$copy" "$name" || failed=1
  done
  (cd "$copy" && "$bazel" shutdown)
  rm -rf "$copy"
  return $failed
}

# simulate_planted_bug COPY: runs the schedules, whose graphs lie in memory.
simulate_planted_bug() {
  local graphs code=0
  graphs=$(mktemp -d -p "$(memory_folder)")
  TRIBUTARY_SIM_QUIET=1 TEST_TMPDIR=$graphs timeout "$planted_bug_limit" \
    "$1/bazel-bin/tests/sim/fleet_simulation_test" \
    --gtest_filter='*RandomSchedules' "--seeds=$planted_bug_seeds" || code=$?
  rm -rf "$graphs"
  return $code
}

find_planted_bug() {
  local copy=$1 name=$2 patch=$root/tests/sim/planted_bugs/$2.patch
  local log=$cache/planted-bug.log started code=0
  started=$(now)
  patch --quiet --strip=1 --directory="$copy" <"$patch" || return 1
  if ! (cd "$copy" && run_bazel build //tests/sim:fleet_simulation_test) \
    >"$log" 2>&1; then
    tail -20 "$log"
    echo "planted bug $name: does not build"
    code=1
  else
    simulate_planted_bug "$copy" >"$log" 2>&1 || code=$?
    case $code in
      0) echo "planted bug $name: NOT FOUND in $planted_bug_seeds seeds" ;;
      124) echo "planted bug $name: NOT FOUND in $planted_bug_limit" ;;
      *)
        echo "planted bug $name: found by $(grep -om1 'seed [0-9]*' "$log" ||
          echo 'a crash'), $(since "$started")"
        ;;
    esac
    if [ "$code" = 0 ] || [ "$code" = 124 ]; then code=1; else code=0; fi
  fi
  patch --quiet --reverse --strip=1 --directory="$copy" <"$patch" || return 1
  return $code
}
