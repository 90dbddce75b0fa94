#include "trainer_client/torch/inference/prediction_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/schema/type_path.h"
#include "trainer_client/torch/checkpoint/durable_files.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kManifest[] = "predict.json";
constexpr char kLayers[] = "layers";
constexpr char kFormat[] = "tributary predictions";
constexpr int kVersion = 1;
constexpr size_t kMaxManifestBytes = size_t{1} << 20;
constexpr int kMaxLayersDone = 1 << 10;

struct Manifest {
  PredictionIdentity identity;
  int layers_done = 0;
  bool complete = false;
};

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

absl::Status Damaged(const std::string& path) {
  return absl::DataLossError(absl::StrCat(
      path,
      " is damaged, or was not written by tributary-train --predict; "
      "allowed: another --out, or remove the folder"));
}

absl::StatusOr<Manifest> Parse(const std::string& path,
                               const std::string& text) {
  const json read = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_number = [&](const char* key) {
    return read.contains(key) && read[key].is_number_unsigned() &&
           read[key].get<uint64_t>() <= kMaxLayersDone;
  };
  if (!read.is_object() || read.value("format", json()) != kFormat ||
      !is_number("version") || read["version"] != kVersion ||
      !is_number("layers_done") ||
      !read.value("complete", json()).is_boolean() ||
      !read.value("identity", json()).is_object()) {
    return Damaged(path);
  }
  Manifest manifest{.layers_done = read["layers_done"].get<int>(),
                    .complete = read["complete"].get<bool>()};
  for (const auto& [name, value] : read["identity"].items()) {
    if (!value.is_string()) return Damaged(path);
    manifest.identity[name] = value.get<std::string>();
  }
  return manifest;
}

// Returns nullopt if the folder has no manifest.
absl::StatusOr<std::optional<Manifest>> Read(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/", kManifest);
  if (!Exists(path)) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxManifestBytes));
  return Parse(path, text);
}

absl::Status Differs(const std::string& path, const std::string& name,
                     const std::string& there, const std::string& here) {
  return absl::FailedPreconditionError(absl::StrCat(
      path, " holds unfinished predictions of another ", name, ", \"", there,
      "\", this run's is \"", here,
      "\"; allowed: the same command again to go on, another --out, or remove "
      "the folder"));
}

absl::Status CheckSame(const std::string& path, const PredictionIdentity& there,
                       const PredictionIdentity& here) {
  const auto text = [](const PredictionIdentity& of, const std::string& name) {
    const auto it = of.find(name);
    return it == of.end() ? std::string() : it->second;
  };
  PredictionIdentity names = there;
  names.insert(here.begin(), here.end());
  for (const auto& [name, unused] : names) {
    if (text(there, name) == text(here, name)) continue;
    return Differs(path, name, text(there, name), text(here, name));
  }
  return absl::OkStatus();
}

absl::Status CheckNotComplete(const std::string& path,
                              const std::optional<Manifest>& manifest) {
  if (manifest && manifest->complete) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     " holds complete predictions; allowed: another --out, or "
                     "remove the folder"));
  }
  for (const char* name : {"ids.npy", "predictions.npy", "embeddings.npy"}) {
    const std::string file = absl::StrCat(path, "/", name);
    if (manifest || !Exists(file)) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        file, " exists, and ", path,
        " holds no unfinished predictions; allowed: another --out"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string LayerPath(const std::string& folder, int layer,
                      const std::string& node_type) {
  return absl::StrCat(folder, "/", kLayers, "/", layer, ".",
                      TypePath(node_type), ".npy");
}

std::string PartPath(const std::string& folder, const std::string& name) {
  return absl::StrCat(folder, "/", name, ".part");
}

absl::Status PredictionFolder::CheckUnused(const std::string& path) {
  std::error_code error;
  if (Exists(path) && !fs::is_directory(path, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is no folder; allowed: --out with a folder"));
  }
  if (!fs::is_directory(Exists(path) ? path : ParentFolder(path), error)) {
    return absl::NotFoundError(absl::StrCat(
        "there is no folder ", ParentFolder(path), " to create ", path, " in"));
  }
  ASSIGN_OR_RETURN(const std::optional<Manifest> manifest, Read(path));
  return CheckNotComplete(path, manifest);
}

absl::StatusOr<PredictionFolder> PredictionFolder::Open(
    const std::string& path, const PredictionIdentity& identity) {
  ASSIGN_OR_RETURN(const std::optional<Manifest> manifest, Read(path));
  RETURN_IF_ERROR(CheckNotComplete(path, manifest));
  PredictionFolder folder(path, identity);
  if (manifest) {
    RETURN_IF_ERROR(CheckSame(path, manifest->identity, identity));
    folder.layers_done_ = manifest->layers_done;
    return folder;
  }
  for (const std::string& made : {path, absl::StrCat(path, "/", kLayers)}) {
    if (!Exists(made)) RETURN_IF_ERROR(CreateFolder(made));
  }
  RETURN_IF_ERROR(folder.WriteManifest(false));
  return folder;
}

absl::Status PredictionFolder::WriteManifest(bool complete) const {
  const json manifest = {{"format", kFormat},
                         {"version", kVersion},
                         {"identity", identity_},
                         {"layers_done", layers_done_},
                         {"complete", complete}};
  const std::string text =
      manifest.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  const std::string path = absl::StrCat(path_, "/", kManifest);
  const std::string part = path + ".part";
  RETURN_IF_ERROR(RemoveTree(part));
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(text.data()), text.size());
  RETURN_IF_ERROR(WriteNewFile(part, {bytes}));
  RETURN_IF_ERROR(RenamePath(part, path));
  return SyncPath(path_);
}

absl::Status PredictionFolder::LayerDone(int layers_done) {
  RETURN_IF_ERROR(SyncPath(absl::StrCat(path_, "/", kLayers)));
  layers_done_ = layers_done;
  return WriteManifest(false);
}

absl::Status PredictionFolder::Finish(const std::vector<std::string>& files) {
  for (const std::string& name : files) {
    RETURN_IF_ERROR(
        RenamePath(PartPath(path_, name), absl::StrCat(path_, "/", name)));
  }
  RETURN_IF_ERROR(SyncPath(path_));
  RETURN_IF_ERROR(WriteManifest(true));
  return RemoveTree(absl::StrCat(path_, "/", kLayers));
}

}  // namespace tributary
