#include "cli/sample/sample_files.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/tensor/npz.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return absl::UnavailableError(
        absl::StrCat("--out \"", folder, "\": cannot make it a folder",
                     error ? absl::StrCat(": ", error.message()) : ""));
  }
  return absl::OkStatus();
}

}  // namespace

SampleFiles::SampleFiles(std::string folder, UnfinishedFolder unfinished)
    : folder_(std::move(folder)), unfinished_(std::move(unfinished)) {}

absl::StatusOr<SampleFiles> SampleFiles::In(const std::string& folder) {
  RETURN_IF_ERROR(MakeFolder(folder));
  ASSIGN_OR_RETURN(UnfinishedFolder unfinished,
                   UnfinishedFolder::Create(folder + "/.unfinished-"));
  return SampleFiles(folder, std::move(unfinished));
}

absl::Status SampleFiles::Write(const BatchView& batch,
                                absl::Span<const TensorView> more) const {
  const std::string name =
      absl::StrCat("batch-", batch.key().epoch, "-", batch.key().index, ".npz");
  const std::string from = absl::StrCat(unfinished_.path(), "/", name);
  const std::string to = absl::StrCat(folder_, "/", name);
  std::vector<TensorView> tensors = batch.tensors();
  tensors.insert(tensors.end(), more.begin(), more.end());
  RETURN_IF_ERROR(WriteNpz(from, tensors));
  if (std::rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", to));
}

}  // namespace tributary
