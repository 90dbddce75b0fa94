# shellcheck shell=bash
# Sourced by dev: Bazel with the project's cache and plain output where there is no terminal.
: "${root:?}" "${cache:?}"

# Debian's; a bazelisk in PATH would be another version.
bazel=${BAZEL:-/usr/bin/bazel}

bazel_flags=("--disk_cache=$cache/bazel")
if [ -n "${CI:-}" ] || [ ! -t 2 ]; then
  # No terminal to draw on: a line of progress every 15 s.
  bazel_flags+=(--color=no --curses=no --show_progress_rate_limit=15)
fi
if [ -n "${CI:-}" ]; then
  bazel_flags+=(--jobs=2)
fi

# run_bazel COMMAND [ARG...]: the flags above, where COMMAND takes them.
run_bazel() {
  local command=${1:?a Bazel command}
  shift
  forget_dangling_repositories
  case $command in
    build | test | run | coverage)
      "$bazel" "$command" "${bazel_flags[@]}" "$@"
      ;;
    *)
      "$bazel" "$command" "$@"
      ;;
  esac
}

# Repositories such as @libtorch point into the cache. Should that have been
# deleted, Bazel must run their rules again, which it does when the marker of a
# repository is gone and a server that has read it has ended.
forget_dangling_repositories() {
  local external path name dangling=()
  [ -L "$root/bazel-out" ] || return 0
  external=$(readlink "$root/bazel-out")/../../../external
  if [ -L "$external/libtorch/include/torch" ] &&
    [ ! -e "$external/libtorch/include/torch" ]; then
    dangling+=(libtorch)
  fi
  # Those of Python packages.
  for path in "$external"/*/path.txt; do
    if [ -e "$path" ] && [ ! -d "$(cat "$path")" ]; then
      dangling+=("$(basename "$(dirname "$path")")")
    fi
  done
  [ "${#dangling[@]}" -gt 0 ] || return 0
  "$bazel" shutdown
  for name in "${dangling[@]}"; do
    rm -f "$external/@$name.marker"
  done
}
