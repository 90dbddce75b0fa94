# What the examples share: a temporary folder, servers of $work/graph, and their
# end, however the script ends. Sourced by scripts that have set `name`,
# `tributary` and `tributary_train`.
# shellcheck shell=bash
: "${name:?}" "${tributary:?}" "${tributary_train:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/tributary-$name.XXXXXX")
server_pids=()
train_pid=

# --- endings -----------------------------------------------------------------

# Waits up to 5 s for a process of ours, then kills it.
end_process() {
  local pid=$1
  kill -TERM "$pid" 2>/dev/null || true
  for _ in $(seq 50); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

finish() {
  local status=$?
  trap - EXIT INT TERM
  [ -z "$train_pid" ] || end_process "$train_pid"
  for pid in "${server_pids[@]}"; do end_process "$pid"; done
  if [ "$status" -ne 0 ] && [ -d "$work" ]; then
    for log in "$work"/*.err; do
      [ -s "$log" ] || continue
      echo "--- the end of $(basename "$log")" >&2
      tail -n 20 "$log" >&2
    done
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
  echo "$name: $1" >&2
  exit 1
}

# --- what is shown -----------------------------------------------------------

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f s", b - a }'; }
step() { printf '\n== %s\n' "$1"; }

# The value of KEY=VALUE in a line.
field() { sed -n "s/.*[[:space:]]$1=\([^[:space:]]*\).*/\1/p" <<<" $2"; }

# --- the parts ---------------------------------------------------------------

start_server() {
  local partition=$1
  local out=$work/server-$partition
  "$tributary" serve --graph "$work/graph" --partitions "$partition" \
    --listen 127.0.0.1:0 --peers "file:$work/servers.txt" \
    >"$out.out" 2>"$out.err" &
  server_pids+=($!)
}

# Prints the address of a server that has said `ready`.
address_of() {
  local partition=$1 pid=$2 line
  for _ in $(seq 300); do
    line=$(grep '^ready ' "$work/server-$partition.out" 2>/dev/null || true)
    if [ -n "$line" ]; then
      field listen "$line"
      return
    fi
    kill -0 "$pid" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

find_programs() {
  command -v "$tributary" >/dev/null ||
    fail "no program $tributary: run ./dev demo, or eval \"\$(./dev path)\""
  command -v "$tributary_train" >/dev/null || fail "no program $tributary_train"
}

# Starts two servers, a partition each; $work/servers.txt names them.
start_fleet() {
  server_pids=()
  : >"$work/servers.txt"
  for partition in 0 1; do start_server "$partition"; done
  for partition in 0 1; do
    address=$(address_of "$partition" "${server_pids[$partition]}") ||
      fail "server $partition did not come up"
    echo "partition $partition at $address"
    echo "$address" >>"$work/servers.txt.new"
  done
  mv "$work/servers.txt.new" "$work/servers.txt"
}

stop_fleet() {
  for pid in "${server_pids[@]}"; do end_process "$pid"; done
  server_pids=()
}
