# shellcheck shell=bash
# Sourced by dev: builds the programs, and says where they are.
: "${bazel:?}"

demo_programs=(//cli:tributary //trainer_client/torch:tributary-train)
# These alone link Arrow or MPI, which the demo does not need.
other_programs=(//cli:tributary-parquet //cli/fetch:tributary-fetch
  //cli/mpi:tributary-partition-mpi)

# Prints where each program is. Requires export_programs.
print_programs() {
  local target
  for target in "${demo_programs[@]}" "${other_programs[@]}"; do
    target=${target#//}
    echo "$TRIBUTARY_BAZEL_BIN/${target/://}"
  done
}

# Exports where the programs are: in the default configuration's folder, not in
# the link bazel-bin, which another configuration's build moves.
export_programs() {
  local bin
  bin=$("$bazel" info bazel-bin 2>/dev/null)
  export TRIBUTARY=$bin/cli/tributary
  export TRIBUTARY_TRAIN=$bin/trainer_client/torch/tributary-train
  export TRIBUTARY_BAZEL_BIN=$bin
}

# Prints a line for a shell to evaluate, which puts the programs first on its
# PATH. Requires export_programs.
print_path() {
  local program folder path=
  while read -r program; do
    folder=$(printf %q "${program%/*}")
    case :$path in
      *":$folder:"*) ;;
      *) path+=$folder: ;;
    esac
  done < <(print_programs)
  # shellcheck disable=SC2016  # the reader's PATH
  printf 'export PATH=%s"$PATH"\n' "$path"
}
