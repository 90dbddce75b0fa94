# shellcheck shell=bash
# Sourced by dev: builds the wheel of the Python package.
: "${root:?}" "${bazel:?}"

# build_wheel: dist/ of the checkout gets the wheel; prints its path and size.
build_wheel() {
  local bin name
  run_bazel build //python/wheel
  bin=$("$bazel" info bazel-bin 2>/dev/null)/python/wheel
  name=$(cat "$bin/name.txt")
  mkdir -p dist
  install -m 644 "$bin/tributary_gnn.whl" "dist/$name"
  echo "dist/$name ($(stat -c %s "dist/$name" | numfmt --to=iec --suffix=B))"
}
