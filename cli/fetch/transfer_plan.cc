#include "cli/fetch/transfer_plan.h"

#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/fleet/graph_name.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/hot_text.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

// Returns the partition whose folder the file is in; none if every server needs
// the file.
std::optional<uint32_t> PartitionOf(absl::string_view path) {
  absl::string_view first = path.substr(0, path.find('/'));
  uint32_t partition = 0;
  if (!absl::ConsumePrefix(&first, "part-") ||
      !absl::SimpleAtoi(first, &partition)) {
    return std::nullopt;
  }
  return partition;
}

absl::Status CheckNumbers(const std::set<uint32_t>& wanted,
                          const GraphSchema& schema) {
  if (wanted.empty() || *wanted.rbegin() < schema.num_partitions) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--partitions: there is no partition ", *wanted.rbegin(),
                   "; the graph has 0 to ", schema.num_partitions - 1));
}

// A relative path of plain names, as those that are below a folder.
bool StaysInside(absl::string_view path) {
  if (path.empty() || absl::StartsWith(path, "/")) return false;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

}  // namespace

std::vector<PlannedFile> TransferPlan::AllFiles() const {
  std::vector<PlannedFile> all = files;
  for (const PlannedPart& part : parts) {
    all.insert(all.end(), part.files.begin(), part.files.end());
  }
  return all;
}

const std::string& TransferPlan::ListOf(const PlannedFile& file) const {
  for (const PlannedPart& part : parts) {
    if (absl::StartsWith(file.path, absl::StrCat(part.name, "/"))) {
      return part.manifest.path;
    }
  }
  return manifest.path;
}

uint64_t TransferPlan::num_files() const {
  return AllFiles().size() + parts.size();
}

uint64_t TransferPlan::bytes() const {
  uint64_t sum = 0;
  for (const PlannedPart& part : parts) sum += part.manifest.text.size();
  for (const PlannedFile& file : AllFiles()) sum += file.bytes;
  return sum;
}

absl::StatusOr<TransferPlan> PlanGraph(const GraphSchema& schema,
                                       std::string json,
                                       const PartitionChoice& partitions) {
  const std::vector<uint32_t> numbers = partitions.Of(schema.num_partitions);
  const std::set<uint32_t> wanted(numbers.begin(), numbers.end());
  RETURN_IF_ERROR(CheckNumbers(wanted, schema));
  TransferPlan plan;
  plan.manifest = {kGraphJson, std::move(json)};
  plan.name = VersionedName(schema.name, schema.content_digest);
  for (const FileSchema& file : schema.files) {
    const std::optional<uint32_t> of = PartitionOf(file.path);
    if (of.has_value() && !wanted.empty() && wanted.count(*of) == 0) continue;
    plan.files.push_back({file.path, file.bytes, file.crc32c});
  }
  return plan;
}

absl::Status AddHotCache(const GraphSchema& schema, std::string json,
                         const std::string& hot,
                         const PartitionChoice& partitions,
                         TransferPlan& plan) {
  const auto manifest = HotManifest::FromJson(json);
  if (!manifest.ok()) {
    return absl::Status(manifest.status().code(),
                        absl::StrCat(hot, "/", manifest.status().message()));
  }
  if (manifest->layout_digest != schema.layout_digest) {
    return absl::FailedPreconditionError(
        absl::StrCat(hot, "/", kHotJson,
                     " belongs to another layout of the graph; remove "
                     "it, or make it anew with `tributary cache`"));
  }
  const std::vector<uint32_t> numbers = partitions.Of(schema.num_partitions);
  const std::set<uint32_t> wanted(numbers.begin(), numbers.end());
  PlannedPart part;
  part.name = kHotFolder;
  for (const FileSchema& file : manifest->files) {
    const std::optional<uint32_t> of = PartitionOf(file.path);
    if (!of.has_value() || !StaysInside(file.path)) {
      return absl::InvalidArgumentError(absl::StrCat(
          hot, "/", kHotJson, ": the path \"", absl::CHexEscape(file.path),
          "\"; allowed: part-<p>/..."));
    }
    if (!wanted.empty() && wanted.count(*of) == 0) continue;
    part.files.push_back(
        {absl::StrCat(kHotFolder, "/", file.path), file.bytes, file.crc32c});
  }
  part.manifest = {absl::StrCat(kHotFolder, "/", kHotJson), std::move(json)};
  plan.parts.push_back(std::move(part));
  return absl::OkStatus();
}

absl::Status AddHotList(const GraphSchema& schema, const std::string& name,
                        std::string json, const std::string& list,
                        TransferPlan& plan) {
  const auto files = HotListFiles::FromJson(json);
  if (!files.ok()) {
    return absl::Status(files.status().code(),
                        absl::StrCat(list, "/", files.status().message()));
  }
  if (files->layout_digest != schema.layout_digest) {
    return absl::FailedPreconditionError(
        absl::StrCat(list, "/", kHotListFilesJson,
                     " belongs to another layout of the graph; remove "
                     "it, or make it anew with `tributary cache`"));
  }
  PlannedPart part;
  part.name = absl::StrCat(kHotListsFolder, "/", name);
  for (const FileSchema& file : files->files) {
    if (!StaysInside(file.path) || file.path == kHotListFilesJson) {
      return absl::InvalidArgumentError(absl::StrCat(
          list, "/", kHotListFilesJson, ": the path \"",
          absl::CHexEscape(file.path),
          "\"; allowed: plain names below the list's folder, but for ",
          kHotListFilesJson, " itself"));
    }
    part.files.push_back(
        {absl::StrCat(part.name, "/", file.path), file.bytes, file.crc32c});
  }
  part.manifest = {absl::StrCat(part.name, "/", kHotListFilesJson),
                   std::move(json)};
  plan.parts.push_back(std::move(part));
  return absl::OkStatus();
}

absl::Status AddPartsOf(const std::string& folder, const GraphSchema& schema,
                        const PartitionChoice& partitions, TransferPlan& plan) {
  ASSIGN_OR_RETURN(std::optional<std::string> json, ReadHotText(folder));
  if (json.has_value()) {
    RETURN_IF_ERROR(AddHotCache(schema, *std::move(json), HotFolderOf(folder),
                                partitions, plan));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, HotListNames(folder));
  for (const std::string& name : names) {
    const std::string list = HotListFolder(folder, name);
    ASSIGN_OR_RETURN(std::string files,
                     ReadFile(absl::StrCat(list, "/", kHotListFilesJson),
                              kMaxHotListFilesBytes));
    RETURN_IF_ERROR(AddHotList(schema, name, std::move(files), list, plan));
  }
  return absl::OkStatus();
}

absl::StatusOr<TransferPlan> PlanObjects(
    const std::vector<ListedObject>& objects) {
  TransferPlan plan;
  plan.manifest.path = kListedFiles;
  plan.name = "any files";
  for (const ListedObject& object : objects) {
    if (object.path == kListedFiles) continue;
    if (!StaysInside(object.path)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "object \"", object.path,
          "\"; allowed: names without empty parts, \".\" and \"..\""));
    }
    plan.files.push_back({object.path, object.bytes, std::nullopt});
    absl::StrAppend(&plan.manifest.text, object.bytes, " ", object.changed_ns,
                    " ", object.path, "\n");
  }
  return plan;
}

}  // namespace tributary
