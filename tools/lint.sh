#!/usr/bin/env bash
# Format, layering, text, scripts, manifests. Called by `./dev lint`, which
# sets TRIBUTARY_PYTHON; runs every check and fails if one did.
#   tools/lint.sh [--fix]        formats C++ in place first
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
python=${TRIBUTARY_PYTHON:-python3}
failed=()

# check NAME COMMAND...
check() {
  local name=$1
  shift
  if "$@"; then
    echo "lint: $name: ok"
  else
    failed+=("$name")
    echo "lint: $name: FAILED" >&2
  fi
}

mapfile -t files < <(git ls-files)
mapfile -t cxx < <(git ls-files '*.cc' '*.h' '*.cu' '*.cuh')
mapfile -t protos < <(git ls-files '*.proto')
mapfile -t python_files < <(git ls-files '*.py')
scripts=()
for file in "${files[@]}"; do
  if [ -f "$file" ] && head -c 60 "$file" | head -n 2 |
    grep -Eaq '^#!.*\b(ba)?sh$|^# shellcheck shell='; then
    scripts+=("$file")
  fi
done

python_compiles() {
  local file
  for file in "${python_files[@]}"; do
    "$python" -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' \
      "$file" || return 1
  done
}

manifests() {
  KUBECTL=$("$python" tools/kubectl.py) || return 1
  export KUBECTL
  # The flags in the manifests are held against the programs that are built, but
  # for those that sources have outrun: they may not know the flags yet.
  local program path built=()
  for program in cli/tributary cli/fetch/tributary-fetch \
    trainer_client/torch/tributary-train; do
    path=$PWD/bazel-bin/$program
    if [ ! -x "$path" ]; then continue; fi
    if [ -n "$(find -L "${cxx[@]}" -newer "$path" -print -quit)" ]; then
      echo "lint: manifests: $program is older than its sources: left out"
    else
      built+=("$path")
    fi
  done
  PYTHON=$python bash k8s/lint.sh ${built[@]+"${built[@]}"}
}

# Images are tagged with the version of the programs, and -cuda.
image_tags() {
  local version
  version=$(cat VERSION)
  ! grep -rn --include=kustomization.yaml 'newTag:' k8s | grep -v "newTag: $version\(-cuda\)\?\$"
}

# As users' checkers see the package, for its oldest Python. NumPy's types are
# Debian's; torch and torch_geometric are not installed here.
python_types() {
  mypy --strict --allow-any-generics --no-warn-return-any \
    --ignore-missing-imports --python-version 3.9 --cache-dir=/dev/null \
    python/tributary_gnn
}

planted_bugs_apply() {
  local patch
  for patch in tests/sim/planted_bugs/*.patch; do
    git apply --check "$patch" || return 1
  done
}

[ "${1:-}" != --fix ] || clang-format-14 -i "${cxx[@]}"
check format clang-format-14 --dry-run -Werror "${cxx[@]}"
check layers "$python" tools/check_layers.py "${cxx[@]}" "${protos[@]}"
check structure "$python" tools/check_structure.py "${cxx[@]}" "${protos[@]}"
check names "$python" tools/check_names.py "${cxx[@]}"
check docs "$python" tools/check_docs.py "${files[@]}"
check text "$python" tools/check_text.py "${files[@]}"
check python-types python_types
check scripts shellcheck -x "${scripts[@]}"
check python python_compiles
check image-tags image_tags
check planted-bugs planted_bugs_apply
[ ! -e k8s/lint.sh ] || check manifests manifests

if [ "${#failed[@]}" -gt 0 ]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
