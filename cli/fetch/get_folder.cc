#include "cli/fetch/get_folder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/fetch/staged_folder.h"
#include "cli/fetch/stored_text.h"
#include "cli/fetch/transfer_plan.h"
#include "cli/fetch/transfer_progress.h"
#include "cli/fetch/try_again.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_text.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

absl::StatusOr<TransferPlan> PlanListed(ObjectStore& store, TryAgain& again) {
  std::vector<ListedObject> objects;
  RETURN_IF_ERROR(again.Run(0, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(objects, store.List());
    return absl::OkStatus();
  }));
  if (objects.empty()) {
    return absl::NotFoundError(
        absl::StrCat(store.NameOf(""), " has no objects"));
  }
  return PlanObjects(objects);
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
  auto hot = ReadStoredText(store, absl::StrCat(kHotFolder, "/", kHotJson),
                            kMaxHotTextBytes, again);
  if (absl::IsNotFound(hot.status())) return plan;
  RETURN_IF_ERROR(hot.status());
  RETURN_IF_ERROR(AddHotCache(schema, *std::move(hot), store.NameOf(kHotFolder),
                              options.partitions, plan));
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

}  // namespace

absl::StatusOr<Transferred> GetFolder(const GetOptions& options,
                                      ObjectStore& store) {
  TryAgain again(options.retry_for);
  ASSIGN_OR_RETURN(const TransferPlan plan,
                   options.any_files ? PlanListed(store, again)
                                     : PlanStoredGraph(options, store, again));
  Transferred done{plan.name, plan.num_files(), plan.bytes()};
  const absl::Status complete = CheckComplete(options.folder, plan);
  // A complete graph may lack its cache, or have an older one.
  const bool cache_only = complete.ok();
  done.already =
      cache_only && (!plan.hot.has_value() ||
                     HasFiles(options.folder, *plan.hot, plan.hot_files));
  if (done.already) return done;
  if (!complete.ok() && !absl::IsNotFound(complete)) return complete;
  const std::vector<PlannedFile> files = plan.AllFiles(cache_only);
  ASSIGN_OR_RETURN(StagedFolder folder,
                   StagedFolder::Open(options.folder,
                                      cache_only ? *plan.hot : plan.manifest));
  if (!cache_only && !options.any_files) {
    RETURN_IF_ERROR(folder.OpenPart(kHotFolder, plan.hot));
  }
  RETURN_IF_ERROR(CheckRoom(files, folder));
  {
    TransferProgress progress("tributary-fetch get", "fetched", done.bytes);
    RETURN_IF_ERROR(
        FetchFiles(files, options.fetch, store, again, folder, progress));
  }
  RETURN_IF_ERROR(cache_only ? folder.FinishPart(kHotFolder)
                             : folder.Finish(plan.manifest));
  return done;
}

}  // namespace tributary
