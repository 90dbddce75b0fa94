#include "cli/hot/degree_list.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/stage_progress.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/schema/hot_list_json.h"
#include "partition/writer/hot/hot_list_writer.h"

namespace tributary {
namespace {

// Whatever command makes the graph, its list is the same to the byte.
constexpr char kMadeBy[] = "tributary cache --list degree";

}  // namespace

void DeclareDegreeList(CLI::App& app, std::string& text) {
  app.add_option("--hot-list", text,
                 "The hot list that is made with the graph: degree, the rows "
                 "of nodes with most out-edges first, or off")
      ->capture_default_str();
}

absl::StatusOr<bool> ReadDegreeFlag(const std::string& text) {
  ASSIGN_OR_RETURN(const size_t choice,
                   ParseChoice("--hot-list", text, {kDegreeList, "off"}));
  return choice == 0;
}

absl::Status WriteDegreeList(const std::string& folder) {
  OpenOptions open;
  open.features = FeatureMemory::kPaged;
  ASSIGN_OR_RETURN(const auto graph, Graph::Open(folder, open));
  if (!HasListedTypes(graph->schema())) return absl::OkStatus();
  HotListRequest request;
  request.folder = folder;
  request.name = kDegreeList;
  request.made_by = kMadeBy;
  return WriteHotList(*graph, request).status();
}

absl::Status AddDegreeList(const std::string& folder,
                           const std::string& program, uint64_t memory_bytes) {
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(folder));
  if (ReadHotListFiles(folder, kDegreeList, schema).ok()) {
    return absl::OkStatus();
  }
  const uint64_t needed = HotListMemory(schema);
  if (needed > memory_bytes) {
    std::fprintf(stderr,
                 "%s: note: the hot list takes %llu bytes of memory, more than "
                 "--memory: %s is complete without it; `%s` makes it\n",
                 program.c_str(), static_cast<unsigned long long>(needed),
                 folder.c_str(), kMadeBy);
    return absl::OkStatus();
  }
  const StageProgress progress(program, "orders the nodes by degree");
  const absl::Status made = WriteDegreeList(folder);
  if (made.ok()) return made;
  return absl::Status(
      made.code(), absl::StrCat(made.message(), "\n", folder,
                                " is complete without its hot list; `", kMadeBy,
                                "` makes it"));
}

}  // namespace tributary
