# shellcheck shell=bash
# Sourced by dev: builds the programs, and says where they are.
: "${bazel:?}"

build_programs() {
  run_bazel build //cli:tributary //trainer_client/torch:tributary-train \
    //cli/mpi:tributary-partition-mpi
}

# Exports where the programs are: in the default configuration's folder, not in
# the link bazel-bin, which another configuration's build moves.
export_programs() {
  local bin
  bin=$("$bazel" info bazel-bin 2>/dev/null)
  export TRIBUTARY=$bin/cli/tributary
  export TRIBUTARY_TRAIN=$bin/trainer_client/torch/tributary-train
  export TRIBUTARY_PARTITION_MPI=$bin/cli/mpi/tributary-partition-mpi
  export TRIBUTARY_BAZEL_BIN=$bin
}

# Prints a line for a shell to evaluate, which puts the programs first on its
# PATH. Requires export_programs.
print_path() {
  # shellcheck disable=SC2016  # the reader's PATH
  printf 'export PATH=%q:%q:%q:"$PATH"\n' "$(dirname "$TRIBUTARY")" \
    "$(dirname "$TRIBUTARY_TRAIN")" "$(dirname "$TRIBUTARY_PARTITION_MPI")"
}
