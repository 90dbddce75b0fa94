#include "cli/fleet/folder_checks.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/file_mapping.h"
#include "partition/format/graph.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/paths.h"
#include "partition/schema/schema.h"

namespace tributary {
namespace {

using Level = Check::Level;

constexpr size_t kMaxJsonBytes = size_t{256} << 20;
constexpr size_t kMaxNamed = 5;
// The default of serve's --memory-budget.
constexpr uint64_t kServeBudget = uint64_t{1} << 30;
constexpr char kCopyAgain[] =
    "copy the folder again from where it is whole, or make it again with "
    "`tributary partition`";

std::string Mebibytes(uint64_t bytes) {
  return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB");
}

absl::StatusOr<GraphSchema> ReadSchema(const std::string& folder) {
  auto text = ReadFile(absl::StrCat(folder, "/", kGraphJson), kMaxJsonBytes);
  if (!text.ok()) return text.status();
  return GraphSchema::FromJson(*text);
}

Check CheckSchema(const absl::StatusOr<GraphSchema>& schema) {
  if (!schema.ok()) {
    return {Level::kFail, kGraphJson, schema.status().ToString(),
            absl::IsNotFound(schema.status())
                ? "name a folder that `tributary partition` or `generate` wrote"
                : kCopyAgain};
  }
  return {Level::kOk, kGraphJson,
          absl::StrCat(schema->name, ", ", schema->NumNodes(), " nodes, ",
                       schema->NumEdges(), " edges, ", schema->num_partitions,
                       " partitions, content=",
                       ToHex(schema->content_digest).substr(0, 16)),
          ""};
}

// Returns what is wrong with the length; empty if it is as graph.json says.
std::string LengthProblem(const std::string& folder, const FileSchema& file) {
  struct stat found {};
  if (stat(absl::StrCat(folder, "/", file.path).c_str(), &found) != 0) {
    return absl::StrCat(file.path, ": ", std::strerror(errno));
  }
  if (!S_ISREG(found.st_mode))
    return absl::StrCat(file.path, ": not a regular file");
  if (static_cast<uint64_t>(found.st_size) == file.bytes) return "";
  return absl::StrCat(file.path, " has ", found.st_size, " bytes, not ",
                      file.bytes);
}

Check CheckLengths(const std::string& folder, const GraphSchema& schema) {
  std::vector<std::string> named;
  size_t wrong = 0;
  for (const FileSchema& file : schema.files) {
    std::string problem = LengthProblem(folder, file);
    if (problem.empty()) continue;
    if (++wrong <= kMaxNamed) named.push_back(std::move(problem));
  }
  if (wrong == 0) {
    return {Level::kOk, "lengths",
            absl::StrCat("all ", schema.files.size(),
                         " files are as long as graph.json says; their bytes "
                         "were not read: `tributary verify ",
                         folder, "` does"),
            ""};
  }
  return {Level::kFail, "lengths",
          absl::StrCat(wrong, " of ", schema.files.size(),
                       " files: ", absl::StrJoin(named, ", "),
                       wrong > kMaxNamed ? ", ..." : ""),
          kCopyAgain};
}

Check CheckOpens(const std::string& folder) {
  const auto graph = Graph::Open(folder);
  if (graph.ok()) return {Level::kOk, "open", "a server would open it", ""};
  return {Level::kFail, "open", graph.status().ToString(), kCopyAgain};
}

Check CheckMemory(const GraphSchema& schema,
                  const absl::StatusOr<MemoryLimit>& memory) {
  if (!memory.ok()) {
    return {Level::kWarn, "memory", memory.status().ToString(),
            "compare the folder's size with the memory yourself"};
  }
  std::vector<uint32_t> all(schema.num_partitions);
  std::iota(all.begin(), all.end(), 0u);
  const GraphBytes bytes = GraphBytesOf(schema, all);
  const uint64_t files = bytes.rest + bytes.features;
  const uint64_t needed = files + kServeBudget;
  Check check{
      Level::kOk, "memory",
      absl::StrCat("needs ", Mebibytes(needed), " (files ", Mebibytes(files),
                   ", batches ", Mebibytes(kServeBudget), "); ", memory->source,
                   " has ", Mebibytes(memory->total), ", free ",
                   Mebibytes(memory->free)),
      ""};
  if (needed > memory->total && needed - bytes.features <= memory->total) {
    check.level = Level::kWarn;
    check.remedy = absl::StrCat(
        "a server would read the features (", Mebibytes(bytes.features),
        ") from disk as they are wanted (--feature-memory); serve fewer "
        "partitions on each of more machines (--partitions) to have them in "
        "memory");
  } else if (needed > memory->total) {
    check.level = Level::kFail;
    check.remedy =
        "serve fewer partitions on each of more machines (--partitions), or "
        "lower --memory-budget";
  } else if (needed > memory->free) {
    check.level = Level::kWarn;
    check.remedy =
        "end what else uses memory, or pages will be read from disk again and "
        "again";
  }
  return check;
}

}  // namespace

std::vector<Check> CheckFolder(const std::string& folder,
                               const absl::StatusOr<MemoryLimit>& memory) {
  const absl::StatusOr<GraphSchema> schema = ReadSchema(folder);
  std::vector<Check> checks = {CheckSchema(schema)};
  if (!schema.ok()) return checks;
  checks.push_back(CheckLengths(folder, *schema));
  checks.push_back(CheckOpens(folder));
  checks.push_back(CheckMemory(*schema, memory));
  return checks;
}

}  // namespace tributary
