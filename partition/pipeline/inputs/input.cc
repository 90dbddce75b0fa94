#include "partition/pipeline/inputs/input.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb_reader.h"
#include "partition/pipeline/inputs/out_edges.h"

namespace tributary {
namespace {

std::string NameOf(const std::string& folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename();
  return name.empty() || name == "." || name == ".." ? "graph" : name;
}

}  // namespace

absl::StatusOr<Input> ReadInput(const InputOptions& options) {
  if (options.format != "ogb") {
    return absl::UnimplementedError(absl::StrCat(
        "--format \"", options.format, "\" is not built; allowed: ogb"));
  }
  ASSIGN_OR_RETURN(Input input, ReadOgb(options));
  if (options.out_edges) RETURN_IF_ERROR(AddOutEdges(&input.content));
  input.content.name =
      options.name.empty() ? NameOf(options.folder) : options.name;
  return input;
}

}  // namespace tributary
