#!/usr/bin/env bash
# Renders every kustomization and checks it: schemas, references, flags.
#   k8s/lint.sh [BINARY ...]     binaries whose --help must know the flags
# KUBECTL names the kubectl (its kustomize), PYTHON a python3 that has
# kubernetes-validate and PyYAML; `./dev lint` sets both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
kubectl=${KUBECTL:-kubectl}
python=${PYTHON:-python3}
# Kinds that no bundled schema knows would only be warned about.
kubernetes_version=${KUBERNETES_VERSION:-1.32}

rendered=$(mktemp)
report=$(mktemp)
trap 'rm -f "$rendered" "$report"' EXIT

found=0
for folder in */; do
  [ -e "$folder/kustomization.yaml" ] || continue
  found=1
  "$kubectl" kustomize "$folder" >"$rendered"
  "$python" -m kubernetes_validate --strict -k "$kubernetes_version" \
    "$rendered" >"$report" 2>&1 || { cat "$report" >&2; exit 1; }
  if grep -q WARN "$report"; then
    echo "k8s: $folder: unknown or removed kinds:" >&2
    grep WARN "$report" >&2
    exit 1
  fi
  "$python" check_manifests.py "$@" <"$rendered"
done
[ "$found" = 1 ] || { echo "k8s: no kustomization found" >&2; exit 1; }
