#include "partition/format/array_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/hash/crc32c.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kCheckedAtOnce = size_t{16} << 20;

absl::Status Damaged(const std::string& path, const std::string& what) {
  return absl::DataLossError(absl::StrCat(path, ": ", what));
}

const FileSchema* Find(const std::vector<FileSchema>& files,
                       const std::string& path) {
  const auto it =
      std::lower_bound(files.begin(), files.end(), path,
                       [](const FileSchema& file, const std::string& p) {
                         return file.path < p;
                       });
  return it != files.end() && it->path == path ? &*it : nullptr;
}

std::string Describe(NpyType type, absl::Span<const int64_t> shape) {
  return absl::StrCat(type.descr(), " [", absl::StrJoin(shape, ", "), "]");
}

absl::Status CheckHeader(const std::string& path, const std::string& listing,
                         const NpyHeader& header,
                         absl::Span<const NpyType> types,
                         absl::Span<const int64_t> shape, size_t file_bytes) {
  const bool type_fits =
      std::find(types.begin(), types.end(), header.type) != types.end();
  if (!type_fits || !std::equal(shape.begin(), shape.end(),
                                header.shape.begin(), header.shape.end())) {
    return Damaged(
        path,
        absl::StrCat("it holds ", Describe(header.type, header.shape),
                     " where ", listing, " says ", Describe(types[0], shape)));
  }
  if (header.data_offset % 64 != 0 ||
      file_bytes - header.data_offset != header.data_bytes()) {
    return Damaged(path, "its length does not fit its header");
  }
  return absl::OkStatus();
}

absl::Status Cancelled(const std::string& path) {
  return absl::CancelledError(absl::StrCat(path, ": opening was cancelled"));
}

}  // namespace

absl::StatusOr<ArrayReader::Opened> ArrayReader::Open(
    const std::string& path, absl::Span<const NpyType> types,
    absl::Span<const int64_t> shape, bool may_copy) {
  const FileSchema* file = Find(files_, path);
  if (file == nullptr) {
    return Damaged(listing_, absl::StrCat("it does not list ", path));
  }
  const std::string full_path = absl::StrCat(folder_, "/", path);
  if (cancelled_()) return Cancelled(full_path);
  const bool copies =
      may_copy && (IsFeatureFile(path) ? copied_.features : copied_.rest);
  ASSIGN_OR_RETURN(FileMapping mapping, MapOrCopy(full_path, copies));
  mapping.Guard(full_path, damage_);
  const absl::Span<const uint8_t> bytes = mapping.bytes();
  if (bytes.size() != file->bytes) {
    return Damaged(full_path, absl::StrCat("it has ", bytes.size(), " bytes; ",
                                           listing_, " says ", file->bytes));
  }
  const auto header = ParseNpyHeader(bytes);
  if (!header.ok()) {
    return Damaged(full_path, std::string(header.status().message()));
  }
  RETURN_IF_ERROR(
      CheckHeader(full_path, listing_, *header, types, shape, bytes.size()));
  if (verify_) RETURN_IF_ERROR(CheckCrc(full_path, *file, bytes));
  return Opened{full_path, std::move(mapping), *header};
}

absl::StatusOr<FileMapping> ArrayReader::MapOrCopy(const std::string& full_path,
                                                   bool copies) const {
  if (!copies) return FileMapping::Open(full_path);
  return FileMapping::Copy(full_path, copied_.reserved, cancelled_);
}

absl::Status ArrayReader::CheckCrc(const std::string& path,
                                   const FileSchema& file,
                                   absl::Span<const uint8_t> bytes) {
  uint32_t crc = 0;
  for (size_t at = 0; at < bytes.size(); at += kCheckedAtOnce) {
    if (cancelled_()) return Cancelled(path);
    crc = ExtendCrc32c(crc, bytes.subspan(at, kCheckedAtOnce));
  }
  if (crc == file.crc32c) return absl::OkStatus();
  return Damaged(path, absl::StrCat("its CRC32C is ", crc, "; ", listing_,
                                    " says ", file.crc32c));
}

absl::StatusOr<MappedArray> ArrayReader::Read(const std::string& path,
                                              absl::Span<const NpyType> types,
                                              absl::Span<const int64_t> shape) {
  ASSIGN_OR_RETURN(Opened file, Open(path, types, shape, /*may_copy=*/true));
  mappings_.push_back(std::move(file.mapping));
  return MappedArray{file.header.type,
                     mappings_.back().bytes().subspan(file.header.data_offset)};
}

// The file is mapped only to check it, until this call returns.
absl::StatusOr<const RowFile*> ArrayReader::OpenRows(
    const std::string& path, absl::Span<const NpyType> types,
    absl::Span<const int64_t> shape) {
  ASSIGN_OR_RETURN(const Opened file,
                   Open(path, types, shape, /*may_copy=*/false));
  RowFile::Table table{file.header.data_offset, file.header.type.size,
                       static_cast<uint64_t>(shape[0])};
  for (const int64_t dim : shape.subspan(1)) {
    table.row_bytes *= static_cast<size_t>(dim);
  }
  ASSIGN_OR_RETURN(row_files_.emplace_back(), RowFile::Open(file.path, table));
  return row_files_.back().get();
}

}  // namespace tributary
