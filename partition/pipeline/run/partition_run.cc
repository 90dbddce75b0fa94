#include "partition/pipeline/run/partition_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/atomic_folder.h"
#include "common/text/status.h"
#include "partition/pipeline/run/work_folder.h"
#include "partition/source/spool.h"
#include "partition/writer/hot/hot_list_writer.h"
#include "partition/writer/streaming/streaming_writer.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Of what the plan and the buffers of the stages need, beside the program.
constexpr uint64_t kProgramBytes = uint64_t{96} << 20;

// For a step of the reader: more than a slice of ids or rows is of no use.
constexpr uint64_t kLeastStep = uint64_t{16} << 20;
constexpr uint64_t kMostStep = uint64_t{4} << 30;

// Returns the device of `path`, or of the nearest folder above it that exists.
std::optional<dev_t> DeviceOf(const std::string& path) {
  struct stat info {};
  for (fs::path at = fs::absolute(path);; at = at.parent_path()) {
    if (stat(at.c_str(), &info) == 0) return info.st_dev;
    if (!at.has_relative_path()) return std::nullopt;
  }
}

// Checks that the finished folder can be renamed to --out: before any work.
absl::Status CheckSameDisk(const std::string& work, const std::string& out) {
  if (DeviceOf(work) == DeviceOf(out)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--work-folder ", work, " is on another disk than --out ",
                   out, "; allowed: a folder on the disk of --out"));
}

// All that determines what the work folder holds.
absl::StatusOr<std::string> IdentityOf(const PartitionRun& run) {
  ASSIGN_OR_RETURN(std::vector<std::string> files, InputFiles(run.input));
  if (!run.partition.assignment.empty()) {
    files.push_back(run.partition.assignment);
  }
  return absl::StrCat(run.write.made_by, "\n", run.input.name, "\n",
                      run.input.folder, "\n", run.memory_bytes, " ",
                      run.threads, "\n", IdentityOfFiles(files));
}

absl::StatusOr<std::string> MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return path;
  return absl::UnavailableError(
      absl::StrCat("cannot create ", path, ": ", error.message()));
}

// Returns a note that names the node types without features; empty if all have
// some.
std::string FeaturelessNote(const GraphSource& source) {
  constexpr size_t kShown = 20;
  std::vector<std::string> names;
  for (const NodeSource& nodes : source.node_types) {
    if (nodes.x == nullptr) names.push_back(nodes.name);
  }
  if (names.empty()) return "";
  if (names.size() == source.node_types.size()) return "no node has features";
  if (names.size() > kShown) {
    names.resize(kShown);
    names.emplace_back("...");
  }
  return absl::StrCat("node types without features: ",
                      absl::StrJoin(names, ", "));
}

absl::StatusOr<GraphSchema> RunIn(const WorkFolder& work,
                                  const PartitionRun& run) {
  const auto report = [&run](std::string_view stage, int64_t done,
                             int64_t total) {
    if (run.progress) run.progress(stage, done, total);
  };
  ASSIGN_OR_RETURN(const std::string spool_folder,
                   MakeFolder(work.path() + "/columns"));
  InputProgress reading(report);
  const Spool spool(spool_folder, &reading);
  InputOptions input = run.input;
  input.step_memory = static_cast<size_t>(
      std::clamp<uint64_t>(run.memory_bytes / 4, kLeastStep, kMostStep));
  ASSIGN_OR_RETURN(const GraphSource source, ReadSource(input, spool));
  if (run.note) {
    for (const std::string& note : source.notes) run.note(note);
    const std::string featureless = FeaturelessNote(source);
    if (!featureless.empty()) run.note(featureless);
  }
  report("places the nodes", 0, 0);
  ASSIGN_OR_RETURN(const std::string plan_folder,
                   MakeFolder(work.path() + "/plan"));
  PartitionContext context;
  context.memory_bytes =
      run.memory_bytes - std::min(run.memory_bytes, kProgramBytes);
  context.threads = run.threads;
  context.work_folder = plan_folder;
  context.progress = [&](std::string_view stage, uint64_t done,
                         uint64_t total) {
    report(stage, static_cast<int64_t>(done), static_cast<int64_t>(total));
  };
  context.note = run.note;
  ASSIGN_OR_RETURN(NodePlan plan, PlanSource(source, run.partition, context));
  ASSIGN_OR_RETURN(const std::string write_folder,
                   MakeFolder(work.path() + "/write"));
  StreamingBounds bounds;
  bounds.memory_bytes = run.memory_bytes;
  bounds.threads = run.threads;
  bounds.work_folder = write_folder;
  bounds.progress = report;
  if (run.hot_list) bounds.bytes_afterwards = HotListBytes;
  return WriteGraphStreaming(source, std::move(plan), run.out, run.write,
                             bounds);
}

// Whether the same call can do better later: a full disk may have room then.
bool CanGoOn(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsUnavailable(status) ||
         absl::IsAborted(status);
}

}  // namespace

absl::StatusOr<GraphSchema> RunPartition(const PartitionRun& run) {
  const std::string folder =
      run.work_folder.empty() ? run.out + ".partial" : run.work_folder;
  RETURN_IF_ERROR(CheckSameDisk(folder, run.out));
  RemoveAbandonedFolders(run.out);
  ASSIGN_OR_RETURN(const std::string identity, IdentityOf(run));
  ASSIGN_OR_RETURN(WorkFolder work, WorkFolder::Open(folder, identity));
  if (work.continues() && run.note) {
    run.note(
        absl::StrCat("goes on with what an earlier run has left in ", folder));
  }
  absl::StatusOr<GraphSchema> schema = RunIn(work, run);
  const bool kept =
      !schema.ok() && CanGoOn(schema.status()) && work.holds_work();
  if (!kept) {
    const absl::Status removed = work.Remove();
    if (schema.ok() && !removed.ok() && run.note) {
      run.note(std::string(removed.message()));
    }
    if (!absl::IsResourceExhausted(schema.status())) return schema;
    return absl::Status(
        schema.status().code(),
        absl::StrCat(schema.status().message(),
                     "\nallowed: --out, with --work-folder if it is given, on "
                     "a larger disk"));
  }
  return absl::Status(
      schema.status().code(),
      absl::StrCat(schema.status().message(), "\n", folder,
                   " is kept: the same command goes on from there; remove it "
                   "to free its space"));
}

}  // namespace tributary
