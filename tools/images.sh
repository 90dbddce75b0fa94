# shellcheck shell=bash
# Sourced by dev: builds container images and lists them.
: "${root:?}" "${bazel:?}"

image_names=(sampler trainer tools)

# build_images [--config=cuda] [NAME...]
build_images() {
  local names=() flags=() argument bin
  for argument in "$@"; do
    case $argument in
      -*) flags+=("$argument") ;;
      *)
        require_image "$argument"
        names+=("$argument")
        ;;
    esac
  done
  [ "${#names[@]}" -gt 0 ] || names=("${image_names[@]}")
  run_bazel build ${flags[@]+"${flags[@]}"} "${names[@]/#///k8s/images:}"
  bin=$("$bazel" info ${flags[@]+"${flags[@]}"} bazel-bin 2>/dev/null)
  names=("${names[@]/#/$bin/k8s/images/}")
  /usr/bin/python3 -B k8s/images/list_images.py "${names[@]/%/.tar}"
}

require_image() {
  [[ " ${image_names[*]} " = *" $1 "* ]] || {
    echo "dev: no image '$1'; there are: ${image_names[*]}" >&2
    exit 2
  }
}
