#!/usr/bin/env bash
# Renders every kustomization and checks it: schemas, references, flags.
#   k8s/lint.sh [BINARY ...]     programs whose --help must know the flags;
#                                with `tributary` its renderings are checked too
# KUBECTL names the kubectl (its kustomize), PYTHON a python3 that has the
# packages of third_party/requirements.txt; `./dev lint` sets both.
set -euo pipefail
binaries=()
for binary in "$@"; do binaries+=("$(realpath "$binary")"); done
cd "$(dirname "${BASH_SOURCE[0]}")"
kubectl=${KUBECTL:-kubectl}
python=${PYTHON:-python3}
kubernetes_versions=(1.33 1.35 1.37)
# Kinds that Kubernetes' schemas lack; checks/schemas.py has theirs. Any other
# warning is about a kind that is unknown or was removed.
custom='kind (Certificate|Issuer|ScaledObject|PodMonitor|PrometheusRule|TrainJob|TrainingRuntime) '

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# render FOLDER NAME
render() {
  "$kubectl" kustomize "$1" >"$work/$2.yaml"
}

render_tree() {
  local file folder
  while read -r file; do
    folder=${file%/kustomization.yaml}
    case $folder in
      overlays/*) render "$folder" "${folder##*/}" ;;
      # Applied as they are.
      base/namespace | base/checkpoints | base/alerts | base/issuer | base/policy) render "$folder" "${folder##*/}" ;;
      base/*) render "$folder" "base-${folder##*/}" ;;
      # Rendered over an overlay of another namespace.
      transformers/namespace) ;;
      *)
        # A component is rendered by the overlays that name it.
        grep -rqsE "components/${folder##*/}$" overlays ||
          { echo "k8s: no overlay uses $folder" >&2 && return 1; }
        ;;
    esac
  done < <(find . -name kustomization.yaml -printf '%P\n' | sort)
}

# TLS over the overlays of samplers that have none of their own.
render_tls() {
  local name
  for name in whole-fixed whole-fetch whole-daily; do
    mkdir "$work/$name-tls"
    cat >"$work/$name-tls/kustomization.yaml" <<END
namespace: tributary
resources: [$(realpath --relative-to="$work/$name-tls" "overlays/$name")]
components: [$(realpath --relative-to="$work/$name-tls" components/tls-samplers)]
END
    render "$work/$name-tls" "$name-tls"
  done
}

# A fleet and its alerts in another namespace.
render_namespace() {
  mkdir "$work/namespace"
  cat >"$work/namespace/kustomization.yaml" <<END
namespace: gnn
resources:
- $(realpath --relative-to="$work/namespace" overlays/whole)
- $(realpath --relative-to="$work/namespace" base/alerts)
transformers: [$(realpath --relative-to="$work/namespace" transformers/namespace)]
END
  render "$work/namespace" in-namespace
}

# render_values TRIBUTARY NAME SED...: the example with its text changed.
render_values() {
  local tributary=$1 name=$2
  shift 2
  sed -E "$@" values/sharded.yaml >"$work/$name.values"
  "$tributary" k8s render --values "$work/$name.values" --out "$work/$name" \
    >/dev/null
  render "$work/$name" "$name"
}

render_fleets() {
  local count
  for count in 1 4 16; do
    render_values "$1" "sharded-$count" -e "s/partitions: 4/partitions: $count/"
  done
  render_values "$1" rendered-whole -e 's/^placement: .*/placement: whole/'
  render_values "$1" rendered-fetch -e '/claim:/d' -e 's/^  # ( *)(fetch:)/  \2/' \
    -e 's/^  # ( +)(url|endpoint|secret|storage|storageClass):/  \1\2:/'
  render_values "$1" rendered-tls -e 's/^tls: .*/tls: cert-manager/'
  render_values "$1" rendered-fixed -e 's/^(autoscaler|podMonitor): .*/\1: false/'
}

# Warnings are errors, but for the kinds that have schemas of their own.
validate() {
  local version
  for version in "${kubernetes_versions[@]}"; do
    "$python" -m kubernetes_validate --strict --quiet -k "$version" \
      "$work"/*.yaml >"$work/report" 2>&1 ||
      { grep -v WARN "$work/report" >&2; return 1; }
    if grep WARN "$work/report" | grep -vE "$custom" >&2; then return 1; fi
  done
}

render_tree
render_tls
render_namespace
asked=()
for binary in ${binaries[@]+"${binaries[@]}"}; do
  asked+=(--binary "$binary")
  if [ "${binary##*/}" = tributary ]; then render_fleets "$binary"; fi
done
validate
"$python" checks/schemas.py "$work"/*.yaml
"$python" checks/check_manifests.py ${asked[@]+"${asked[@]}"} "$work"/*.yaml
