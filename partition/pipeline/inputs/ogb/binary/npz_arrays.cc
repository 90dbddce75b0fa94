#include "partition/pipeline/inputs/ogb/binary/npz_arrays.h"

#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/file_writer.h"
#include "common/io/free_disk.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/spool_name.h"

namespace tributary {
namespace {

constexpr size_t kBuffer = size_t{1} << 20;
constexpr char kSuffix[] = ".npy";

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Discard>;

absl::StatusOr<Archive> OpenArchive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const absl::Status status = absl::DataLossError(
      absl::StrCat(path, " is no .npz file: ", zip_error_strerror(&error)));
  zip_error_fini(&error);
  return status;
}

absl::StatusOr<std::vector<std::string>> ListCompressed(
    const std::string& path) {
  ASSIGN_OR_RETURN(const Archive archive, OpenArchive(path));
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive.get(), i, ZIP_FL_ENC_RAW);
    if (name == nullptr || !absl::EndsWith(name, kSuffix)) continue;
    names.emplace_back(name, std::string(name).size() - sizeof(kSuffix) + 1);
  }
  return names;
}

}  // namespace

absl::StatusOr<NpzArrays> NpzArrays::Open(const std::string& path,
                                          const Spool& spool) {
  NpzArrays arrays(path, spool);
  absl::StatusOr<std::vector<std::string>> names = ListNpzArrays(path);
  if (absl::IsInvalidArgument(names.status())) {
    arrays.compressed_ = true;
    names = ListCompressed(path);
  }
  ASSIGN_OR_RETURN(arrays.names_, std::move(names));
  return arrays;
}

bool NpzArrays::Has(const std::string& name) const {
  return absl::c_linear_search(names_, name);
}

std::vector<ParsedPart> NpzArrays::Parts(
    absl::Span<const std::string> names) const {
  std::vector<ParsedPart> parts;
  if (!compressed_) return parts;
  const auto archive = OpenArchive(path_);
  if (!archive.ok()) return parts;  // Find says why
  for (const std::string& name : names) {
    zip_stat_t stat;
    const std::string member = absl::StrCat(name, kSuffix);
    if (zip_stat(archive->get(), member.c_str(), 0, &stat) != 0) continue;
    // The directory may be damaged: deflate's best ratio is 1032.
    parts.push_back(
        {absl::StrCat(path_, ":", name),
         static_cast<int64_t>(std::min<uint64_t>(stat.size, INT64_MAX)),
         std::min<uint64_t>(stat.size, 1032 * (stat.comp_size + 1))});
  }
  return parts;
}

absl::StatusOr<std::string> NpzArrays::Locate(const std::string& name) const {
  if (!Has(name)) {
    return absl::NotFoundError(
        absl::StrCat(path_, " has no array ", name,
                     "; there are: ", absl::StrJoin(names_, ", ")));
  }
  if (compressed_) return Inflate(name);
  return absl::StrCat(path_, ":", name);
}

absl::StatusOr<FileArray> NpzArrays::Find(const std::string& name) const {
  ASSIGN_OR_RETURN(const std::string at, Locate(name));
  return OpenArray(at);
}

// Writes the member to a file of the spool; an earlier run may have done so.
absl::StatusOr<std::string> NpzArrays::Inflate(const std::string& name) const {
  const std::string part = absl::StrCat(path_, ":", name);
  const std::string to =
      absl::StrCat(spool_->folder(), "/", SpoolName(part, "inflated"), kSuffix);
  if (access(to.c_str(), F_OK) == 0) {
    spool_->Advance(part, InputProgress::kAll);
    return to;
  }
  ASSIGN_OR_RETURN(const Archive archive, OpenArchive(path_));
  const std::string member_name = absl::StrCat(name, kSuffix);
  const auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(
        absl::StrCat(name, " of ", path_, " is damaged: ", what));
  };
  zip_stat_t stat;
  if (zip_stat(archive.get(), member_name.c_str(), 0, &stat) != 0) {
    return damaged(zip_strerror(archive.get()));
  }
  RETURN_IF_ERROR(
      CheckFreeDisk(spool_->folder(), stat.size,
                    absl::StrCat(path_, " is compressed, and needs")));
  const Member member(zip_fopen(archive.get(), member_name.c_str(), 0));
  if (member == nullptr) return damaged(zip_strerror(archive.get()));
  const std::string temporary = absl::StrCat(to, ".tmp");
  if (unlink(temporary.c_str()) != 0 && errno != ENOENT) {
    return PathError(temporary, "remove");
  }
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  std::vector<uint8_t> buffer(kBuffer);
  while (true) {
    const zip_int64_t n = zip_fread(member.get(), buffer.data(), kBuffer);
    if (n < 0) return damaged(zip_file_strerror(member.get()));
    if (n == 0) break;
    if (file.bytes_written() + static_cast<uint64_t>(n) > stat.size) {
      return damaged("it is longer than its directory says");
    }
    RETURN_IF_ERROR(file.Append(
        absl::MakeConstSpan(buffer.data(), static_cast<size_t>(n))));
    spool_->Advance(part, static_cast<int64_t>(file.bytes_written()));
  }
  RETURN_IF_ERROR(file.Close());
  if (std::rename(temporary.c_str(), to.c_str()) != 0) {
    return PathError(to, "rename a file to");
  }
  return to;
}

}  // namespace tributary
