# shellcheck shell=bash
# Sourced by dev: folders and what a bare environment may lack.

# Bazel and pip want a home; containers and cron jobs may have none.
if [ -z "${HOME:-}" ] || [ ! -w "$HOME" ]; then
  HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
  if [ -z "$HOME" ] || [ ! -w "$HOME" ]; then
    HOME=${TMPDIR:-/tmp}/tributary-home-$(id -u)
    (umask 077 && mkdir -p "$HOME")
  fi
  export HOME
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tributary
mkdir -p "$cache"

now() { date +%s.%N; }
# "12.3 s": how long since $1, a time of now().
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f s", b - a }'; }

# A folder in memory where there is one, for many small files of a run.
memory_folder() {
  if [ -w /dev/shm ]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi
}
