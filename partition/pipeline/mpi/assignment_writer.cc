#include "partition/pipeline/mpi/assignment_writer.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/rename_folder.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "partition/schema/type_path.h"

namespace tributary {
namespace {

// Holds the temporary folder of a target.
class Target {
 public:
  static absl::StatusOr<Target> Create(const std::string& path) {
    RETURN_IF_ERROR(CheckTargetIsFree(path));
    ASSIGN_OR_RETURN(auto folder,
                     UnfinishedFolder::Create(absl::StrCat(path, ".tmp-")));
    return Target(path, std::move(folder));
  }

  const std::string& folder() const { return folder_.path(); }
  std::string In(const std::string& name) const {
    return absl::StrCat(folder_.path(), "/", name);
  }
  // Renames the whole folder.
  absl::Status RenameFolder() { return folder_.RenameTo(path_); }
  // Renames one file of the folder, which is then removed.
  absl::Status RenameFile(const std::string& name) {
    return RenameNoReplace(In(name), path_);
  }

 private:
  Target(std::string path, UnfinishedFolder folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  UnfinishedFolder folder_;
};

class NpyWriter final : public AssignmentWriter {
 public:
  NpyWriter(Target target, NodeTypes types, bool single_file)
      : target_(std::move(target)),
        types_(std::move(types)),
        single_file_(single_file) {}

  absl::Status Append(absl::Span<const uint16_t> parts) override {
    while (!parts.empty()) {
      RETURN_IF_ERROR(OpenNext());
      const auto count = std::min<int64_t>(static_cast<int64_t>(parts.size()),
                                           types_.starts[type_] - node_);
      RETURN_IF_ERROR(
          file_->Append({reinterpret_cast<const uint8_t*>(parts.data()),
                         count * sizeof(uint16_t)}));
      node_ += count;
      parts.remove_prefix(count);
    }
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    RETURN_IF_ERROR(OpenNext());  // types without nodes
    if (file_.has_value()) RETURN_IF_ERROR(file_->SyncAndClose());
    return single_file_ ? target_.RenameFile(FileOf(0))
                        : target_.RenameFolder();
  }

 private:
  std::string FileOf(size_t type) const {
    return absl::StrCat(TypePath(types_.names[type]), ".npy");
  }

  // Opens the file of the type that the next node is of, and those of empty
  // types before it. type_ is the number of types that have been opened.
  absl::Status OpenNext() {
    while (type_ < types_.size() && types_.starts[type_] == node_) {
      if (file_.has_value()) RETURN_IF_ERROR(file_->SyncAndClose());
      const std::string path = target_.In(FileOf(type_));
      std::error_code ignored;  // Create() reports it
      std::filesystem::create_directories(
          std::filesystem::path(path).parent_path(), ignored);
      ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
      file_.emplace(std::move(file));
      const int64_t nodes = types_.starts[type_ + 1] - node_;
      RETURN_IF_ERROR(file_->Append(FormatNpyHeader(kNpyUint16, {nodes})));
      ++type_;
    }
    return absl::OkStatus();
  }

  Target target_;
  const NodeTypes types_;
  const bool single_file_;
  std::optional<FileWriter> file_;
  size_t type_ = 0;
  int64_t node_ = 0;
};

class DglPartWriter final : public AssignmentWriter {
 public:
  static constexpr char kName[] = "part.txt";

  DglPartWriter(Target target, FileWriter file)
      : target_(std::move(target)), file_(std::move(file)) {}

  absl::Status Append(absl::Span<const uint16_t> parts) override {
    std::string text;
    for (const uint16_t part : parts) {
      absl::StrAppend(&text, node_++, " ", part, "\n");
    }
    return file_.Append(text);
  }

  absl::Status Finish() override {
    RETURN_IF_ERROR(file_.SyncAndClose());
    return target_.RenameFile(kName);
  }

 private:
  Target target_;
  FileWriter file_;
  int64_t node_ = 0;
};

}  // namespace

absl::Status CheckTargetIsFree(const std::string& target) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(target, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(
      absl::StrCat(target, " exists; remove it or name one that does not"));
}

absl::StatusOr<std::unique_ptr<AssignmentWriter>> MakeAssignmentWriter(
    const std::string& target, const NodeTypes& types) {
  const bool single_file = absl::EndsWith(target, ".npy");
  if (single_file && types.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(target, ": the graph has ", types.size(),
                     " node types; allowed: the name of a folder"));
  }
  ASSIGN_OR_RETURN(Target made, Target::Create(target));
  return std::make_unique<NpyWriter>(std::move(made), types, single_file);
}

absl::StatusOr<std::unique_ptr<AssignmentWriter>> MakeDglPartWriter(
    const std::string& target) {
  ASSIGN_OR_RETURN(Target made, Target::Create(target));
  ASSIGN_OR_RETURN(FileWriter file,
                   FileWriter::Create(made.In(DglPartWriter::kName)));
  return std::make_unique<DglPartWriter>(std::move(made), std::move(file));
}

}  // namespace tributary
