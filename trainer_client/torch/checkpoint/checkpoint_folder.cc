#include "trainer_client/torch/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "common/io/file_mapping.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/durable_files.h"
#include "trainer_client/torch/checkpoint/file_digest.h"

namespace tributary {
namespace {

constexpr absl::string_view kPrefix = "step-";
constexpr size_t kMaxManifestBytes = size_t{16} << 20;

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(path, ": ", status.message())};
}

absl::Status Damaged(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(path, ": damaged: ", what));
}

std::string WithoutSlashes(const std::string& path) {
  absl::string_view trimmed = path;
  while (trimmed.size() > 1 && absl::ConsumeSuffix(&trimmed, "/")) {
  }
  return std::string(trimmed);
}

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename();
}

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::binary_search(names.begin(), names.end(), name);
}

absl::Status CheckFile(const std::string& path, const CheckpointFile& file) {
  const auto digest = DigestOfFile(path);
  if (absl::IsNotFound(digest.status())) {
    return Damaged(path, "the file is missing");
  }
  if (!digest.ok()) return digest.status();
  if (digest->bytes != file.bytes) {
    return Damaged(path,
                   absl::StrCat("it has ", digest->bytes,
                                " bytes; the manifest says ", file.bytes));
  }
  if (digest->sha256 == file.sha256) return absl::OkStatus();
  return Damaged(path,
                 absl::StrCat("its SHA-256 is ", ToHex(digest->sha256),
                              "; the manifest says ", ToHex(file.sha256)));
}

absl::StatusOr<CheckpointManifest> ReadManifest(const std::string& path) {
  const auto text = ReadFile(path, kMaxManifestBytes);
  if (absl::IsResourceExhausted(text.status())) {
    return Damaged(path, text.status().message());
  }
  RETURN_IF_ERROR(text.status());
  auto manifest = ParseManifest(*text);
  if (manifest.ok()) return manifest;
  return InFile(path, manifest.status());
}

// A folder of a root that may be a checkpoint.
struct Candidate {
  uint64_t step = 0;
  bool unfinished = false;
  std::string name;
};

// Returns the candidates among `names`, the newest first.
std::vector<Candidate> CandidatesOf(const std::vector<std::string>& names) {
  std::vector<Candidate> candidates;
  for (const std::string& name : names) {
    if (const auto step = StepOfCheckpointFolder(name)) {
      candidates.push_back({*step, false, name});
      continue;
    }
    absl::string_view rest = name;
    if (!absl::ConsumePrefix(&rest, kUnfinishedPrefix)) continue;
    const auto step =
        ParseNumber<uint64_t>(rest.substr(0, rest.find_first_of('-')));
    candidates.push_back({step.value_or(0), true, name});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) {
              return std::tie(a.step, a.unfinished, a.name) >
                     std::tie(b.step, b.unfinished, b.name);
            });
  return candidates;
}

}  // namespace

std::string CheckpointFolderName(uint64_t step) {
  return absl::StrFormat("%s%012d", kPrefix, step);
}

std::optional<uint64_t> StepOfCheckpointFolder(const std::string& name) {
  absl::string_view digits = name;
  if (!absl::ConsumePrefix(&digits, kPrefix)) return std::nullopt;
  const auto step = ParseNumber<uint64_t>(digits);
  // One step has one name.
  if (!step || CheckpointFolderName(*step) != name) return std::nullopt;
  return step;
}

absl::StatusOr<Checkpoint> ReadCheckpoint(const std::string& folder) {
  Checkpoint checkpoint{.path = WithoutSlashes(folder)};
  const std::string& path = checkpoint.path;
  ASSIGN_OR_RETURN(const auto names, ListFolder(path));
  if (absl::StartsWith(NameOf(path), kUnfinishedPrefix)) {
    return absl::NotFoundError(absl::StrCat(
        path, ": half-written: the folder was not given its final name"));
  }
  if (!Holds(names, kManifestName)) {
    return absl::NotFoundError(
        absl::StrCat(path, ": half-written: there is no ", kManifestName));
  }
  ASSIGN_OR_RETURN(checkpoint.manifest,
                   ReadManifest(checkpoint.PathOf(kManifestName)));
  const auto step = StepOfCheckpointFolder(NameOf(path));
  if (step && *step != checkpoint.manifest.step) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": foreign: it holds the checkpoint of step ",
        checkpoint.manifest.step, ", so it was renamed or copied"));
  }
  for (const CheckpointFile& file : checkpoint.manifest.files) {
    RETURN_IF_ERROR(CheckFile(checkpoint.PathOf(file.name), file));
  }
  return checkpoint;
}

absl::StatusOr<CheckpointSearch> FindCheckpoint(const std::string& path) {
  const std::string root = WithoutSlashes(path);
  ASSIGN_OR_RETURN(const auto names, ListFolder(root));
  const std::string name = NameOf(root);
  CheckpointSearch search;
  if (StepOfCheckpointFolder(name) || Holds(names, kManifestName) ||
      absl::StartsWith(name, kUnfinishedPrefix)) {
    ASSIGN_OR_RETURN(search.found, ReadCheckpoint(root));
    return search;
  }
  for (const Candidate& candidate : CandidatesOf(names)) {
    const std::string folder = absl::StrCat(root, "/", candidate.name);
    auto checkpoint = ReadCheckpoint(folder);
    if (checkpoint.ok()) {
      search.found = *std::move(checkpoint);
      break;
    }
    search.refused.push_back({folder, checkpoint.status()});
  }
  return search;
}

}  // namespace tributary
