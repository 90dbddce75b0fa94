#include "cli/fetch/get_folder.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/fetch/staged_folder.h"
#include "cli/fetch/stored_text.h"
#include "cli/fetch/transfer_plan.h"
#include "cli/fetch/transfer_progress.h"
#include "cli/fetch/try_again.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_text.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

absl::StatusOr<std::vector<ListedObject>> List(ObjectStore& store,
                                               const std::string& folder,
                                               TryAgain& again) {
  std::vector<ListedObject> objects;
  RETURN_IF_ERROR(again.Run(0, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(objects, store.List(folder));
    return absl::OkStatus();
  }));
  return objects;
}

absl::StatusOr<TransferPlan> PlanListed(ObjectStore& store, TryAgain& again) {
  ASSIGN_OR_RETURN(const auto objects, List(store, "", again));
  if (objects.empty()) {
    return absl::NotFoundError(
        absl::StrCat(store.NameOf(""), " has no objects"));
  }
  return PlanObjects(objects);
}

absl::Status AddStoredCache(const GetOptions& options,
                            const GraphSchema& schema, ObjectStore& store,
                            TryAgain& again, TransferPlan& plan) {
  auto hot = ReadStoredText(store, absl::StrCat(kHotFolder, "/", kHotJson),
                            kMaxHotTextBytes, again);
  if (absl::IsNotFound(hot.status())) return absl::OkStatus();
  RETURN_IF_ERROR(hot.status());
  return AddHotCache(schema, *std::move(hot), store.NameOf(kHotFolder),
                     options.partitions, plan);
}

// Adds the lists whose files.json is there: that of a list is stored last. A
// graph is complete without them, so that who may only read objects gets it.
absl::Status AddStoredLists(const GraphSchema& schema, ObjectStore& store,
                            TryAgain& again, TransferPlan& plan) {
  const auto objects = List(store, kHotListsFolder, again);
  if (absl::IsPermissionDenied(objects.status())) {
    std::fprintf(stderr,
                 "tributary-fetch get: note: %s may not be listed: hot lists "
                 "are not fetched\n",
                 store.NameOf(kHotListsFolder).c_str());
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(objects.status());
  for (const ListedObject& object : *objects) {
    const std::vector<std::string> path = absl::StrSplit(object.path, '/');
    if (path.size() != 3 || path[0] != kHotListsFolder ||
        !CheckHotListName(path[1]).ok() || path[2] != kHotListFilesJson) {
      continue;
    }
    ASSIGN_OR_RETURN(
        std::string json,
        ReadStoredText(store, object.path, kMaxHotListFilesBytes, again));
    const std::string list =
        store.NameOf(absl::StrCat(kHotListsFolder, "/", path[1]));
    RETURN_IF_ERROR(AddHotList(schema, path[1], std::move(json), list, plan));
  }
  return absl::OkStatus();
}

absl::StatusOr<TransferPlan> PlanStoredGraph(const GetOptions& options,
                                             ObjectStore& store,
                                             TryAgain& again) {
  auto json = ReadStoredText(store, kGraphJson, kMaxGraphJsonBytes, again);
  if (absl::IsNotFound(json.status())) {
    return absl::NotFoundError(absl::StrCat(
        json.status().message(),
        "\nallowed: where `tributary-fetch put` or a copy of a graph's folder "
        "has ended; --any-files for files that are no graph"));
  }
  RETURN_IF_ERROR(json.status());
  const std::string name = store.NameOf("");
  ASSIGN_OR_RETURN(const GraphSchema schema,
                   ParseGraphJson(*json, name.substr(0, name.size() - 1)));
  ASSIGN_OR_RETURN(TransferPlan plan,
                   PlanGraph(schema, *std::move(json), options.partitions));
  RETURN_IF_ERROR(AddStoredCache(options, schema, store, again, plan));
  RETURN_IF_ERROR(AddStoredLists(schema, store, again, plan));
  return plan;
}

// Returns the bytes that are not there yet.
uint64_t MissingBytes(const std::vector<PlannedFile>& files,
                      const StagedFolder& folder) {
  uint64_t missing = 0;
  for (const PlannedFile& file : files) {
    if (folder.Has(file)) continue;
    missing += file.bytes - std::min(file.bytes, folder.PartBytes(file));
  }
  return missing;
}

absl::Status CheckRoom(const std::vector<PlannedFile>& files,
                       const StagedFolder& folder) {
  ASSIGN_OR_RETURN(const uint64_t free, FreeBytes(folder.path()));
  const uint64_t missing = MissingBytes(files, folder);
  if (missing <= free) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(folder.path(), ": ", missing, " bytes are missing and ",
                   free, " are free; make room, or fetch fewer --partitions"));
}

// Fetches the files and tells how many of `bytes` have come.
absl::Status FetchInto(const GetOptions& options,
                       const std::vector<PlannedFile>& files, uint64_t bytes,
                       ObjectStore& store, TryAgain& again,
                       StagedFolder& folder) {
  RETURN_IF_ERROR(CheckRoom(files, folder));
  TransferProgress progress("tributary-fetch get", "fetched", bytes);
  return FetchFiles(files, options.fetch, store, again, folder, progress);
}

// Brings a cache or a list into a graph that is complete.
absl::Status GetPart(const GetOptions& options, const PlannedPart& part,
                     ObjectStore& store, TryAgain& again) {
  ASSIGN_OR_RETURN(StagedFolder folder,
                   StagedFolder::Open(options.folder, part.manifest));
  uint64_t bytes = part.manifest.text.size();
  for (const PlannedFile& file : part.files) bytes += file.bytes;
  RETURN_IF_ERROR(FetchInto(options, part.files, bytes, store, again, folder));
  return folder.FinishPart(part.name);
}

absl::Status GetAll(const GetOptions& options, const TransferPlan& plan,
                    ObjectStore& store, TryAgain& again) {
  ASSIGN_OR_RETURN(StagedFolder folder,
                   StagedFolder::Open(options.folder, plan.manifest));
  if (!options.any_files) RETURN_IF_ERROR(folder.OpenParts(plan.parts));
  RETURN_IF_ERROR(
      FetchInto(options, plan.AllFiles(), plan.bytes(), store, again, folder));
  return folder.Finish(plan.manifest);
}

}  // namespace

absl::StatusOr<Transferred> GetFolder(const GetOptions& options,
                                      ObjectStore& store) {
  TryAgain again(options.retry_for);
  ASSIGN_OR_RETURN(const TransferPlan plan,
                   options.any_files ? PlanListed(store, again)
                                     : PlanStoredGraph(options, store, again));
  Transferred done{plan.name, plan.num_files(), plan.bytes()};
  const absl::Status complete = CheckComplete(options.folder, plan);
  if (absl::IsNotFound(complete)) {
    RETURN_IF_ERROR(GetAll(options, plan, store, again));
    return done;
  }
  RETURN_IF_ERROR(complete);
  // A complete graph may lack its cache or a list, or have an older one.
  done.already = true;
  for (const PlannedPart& part : plan.parts) {
    if (HasFiles(options.folder, part.manifest, part.files)) continue;
    done.already = false;
    RETURN_IF_ERROR(GetPart(options, part, store, again));
  }
  return done;
}

}  // namespace tributary
