# shellcheck shell=bash
# Sourced by dev: installs what is missing. Each step asks the system, not a
# marker, and takes milliseconds when there is nothing to do.
: "${cache:?}"

# The packages of a section of third_party/debian-packages.txt.
packages_of() {
  awk -v section="[$1]" '
    /^\[/ { inside = $0 == section; next }
    inside && !/^#/ && NF { print $1 }' third_party/debian-packages.txt
}

# Those of the packages in "$@" that are not installed.
missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
      awk '$1 == "installed" { print $2 }' | sort -u)
}

# The system, as os-release says, and its processor: "debian 12 x86_64".
system_name() {
  local file=${TRIBUTARY_OS_RELEASE:-/etc/os-release} name
  # shellcheck disable=SC1090  # the system's
  name=$([ -r "$file" ] && . "$file" && echo "$ID${VERSION_ID:+ $VERSION_ID}") ||
    true
  echo "${name:-$(uname -s)} $(uname -m)"
}

# Says how to build on a system where Debian 12's packages cannot be installed,
# and exits. The volume keeps what was downloaded and built for the next run; z
# lets the container read the checkout under SELinux.
refuse_system() {
  local command="run --rm -it --platform linux/amd64 -v \"$PWD\":/tributary:z\
 -v tributary-cache:/cache -e XDG_CACHE_HOME=/cache -w /tributary\
 docker.io/library/debian:12 ./dev demo"
  {
    echo "dev: builds on Debian 12 on x86-64; this is $(system_name)."
    echo "In a container of it, with either of:"
    echo "  docker $command"
    echo "  podman $command"
  } >&2
  exit 1
}

# Installs the packages of the sections in "$@"; exits when it cannot. A system
# that has them all is not asked its name.
ensure_packages() {
  local section wanted=() missing
  # Before mapfile, which old shells of other systems lack.
  command -v dpkg-query >/dev/null || refuse_system
  for section in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(packages_of "$section")
  done
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [ "${#missing[@]}" -gt 0 ] || return 0
  [ "$(system_name)" = "debian 12 x86_64" ] || refuse_system
  if [ "$(id -u)" != 0 ]; then
    echo "dev: packages are missing. As root, run ./dev setup, or:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  install_packages "${missing[@]}"
}

install_packages() {
  local log=$cache/apt.log started
  started=$(now)
  echo "setup: installing ${#*} Debian packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  if ! { apt-get -q update && apt-get -q -o Acquire::Retries=3 install -y \
    --no-install-recommends "$@"; } </dev/null >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "dev: apt-get failed; all of its output: $log" >&2
    exit 1
  fi
  echo "setup: packages installed, $(since "$started")"
}

# Makes the virtual environment of third_party/requirements.txt and exports
# TRIBUTARY_PYTHON, its interpreter. One folder per content of that file.
ensure_python() {
  local pins=third_party/requirements.txt venv started
  venv=$cache/venv-$(sha256sum "$pins" | cut -c1-12)
  export TRIBUTARY_PYTHON=$venv/bin/python3
  [ ! -e "$venv/complete" ] || return 0
  started=$(now)
  echo "setup: making a Python environment"
  if ! (flock 9 && make_venv "$venv" "$pins") 9>"$cache/venv.lock"; then
    echo "dev: pip cannot install $pins; is there a network?" >&2
    exit 1
  fi
  echo "setup: Python environment made, $(since "$started")"
}

make_venv() {
  local venv=$1 pins=$2
  [ ! -e "$venv/complete" ] || return 0
  rm -rf "$venv" &&
    /usr/bin/python3 -m venv "$venv" &&
    "$venv/bin/python3" -m pip install --quiet --require-hashes --no-deps \
      --only-binary=:all: --disable-pip-version-check -r "$pins" &&
    touch "$venv/complete"
}
