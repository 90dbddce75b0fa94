#include "partition/source/temporary_spool.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"

namespace tributary {

absl::StatusOr<TemporarySpool> TemporarySpool::Make() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) {
    return absl::UnavailableError(absl::StrCat(
        "no folder for temporary files: ", error.message(), "; set TMPDIR"));
  }
  std::string path = parent / "tributary-input-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return PathError(path, "create");
  return TemporarySpool(path);
}

TemporarySpool::~TemporarySpool() {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace tributary
