#include "partition/pipeline/inputs/arrays/zip_members.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr size_t kEntryBytes = 46, kLocalBytes = 30;
constexpr uint16_t kExtra64 = 1;
constexpr uint32_t kIn64 = 0xffffffff;  // the value is in the zip64 record
constexpr uint64_t kMaxComment = 65535;
constexpr uint64_t kMaxMembers = 65536;
constexpr uint64_t kMaxDirectory = uint64_t{64} << 20;

uint64_t Little(absl::Span<const uint8_t> bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}
uint32_t U32(absl::Span<const uint8_t> bytes, size_t at) {
  return static_cast<uint32_t>(Little(bytes, at, 4));
}
uint16_t U16(absl::Span<const uint8_t> bytes, size_t at) {
  return static_cast<uint16_t>(Little(bytes, at, 2));
}

// Where the directory of the members is.
struct Directory {
  uint64_t offset = 0, bytes = 0, members = 0;
};

class Archive {
 public:
  Archive(std::string path, UniqueFd fd, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

  absl::StatusOr<std::vector<ZipMember>> List() {
    ASSIGN_OR_RETURN(const Directory directory, FindDirectory());
    if (directory.members > kMaxMembers || directory.bytes > kMaxDirectory) {
      return absl::InvalidArgumentError(
          absl::StrCat(path_, " has ", directory.members,
                       " members; allowed: up to ", kMaxMembers));
    }
    ASSIGN_OR_RETURN(const auto bytes, Read(directory.offset, directory.bytes));
    absl::Span<const uint8_t> rest(bytes);
    std::vector<ZipMember> members;
    std::set<std::string> names;
    for (uint64_t i = 0; i < directory.members; ++i) {
      ASSIGN_OR_RETURN(ZipMember member, TakeEntry(rest));
      if (!names.insert(member.name).second) {
        return absl::InvalidArgumentError(absl::StrCat(
            path_, ": the member ", Shown(member.name), " is there twice"));
      }
      members.push_back(std::move(member));
    }
    return members;
  }

 private:
  static std::string Shown(const std::string& name) {
    return absl::CHexEscape(name.substr(0, 80));
  }
  absl::Status Damaged(absl::string_view what) const {
    return absl::DataLossError(
        absl::StrCat(path_, " is no whole .npz file: ", what));
  }

  absl::StatusOr<std::vector<uint8_t>> Read(uint64_t offset, uint64_t bytes) {
    if (offset > size_ || bytes > size_ - offset) {
      return Damaged("its directory points behind its end");
    }
    std::vector<uint8_t> data(bytes);
    RETURN_IF_ERROR(ReadExactly(fd_.get(), path_, offset, data.data(), bytes));
    return data;
  }

  absl::StatusOr<Directory> FindDirectory() {
    const uint64_t tail = std::min(size_, kEndBytes + kMaxComment);
    ASSIGN_OR_RETURN(const auto bytes, Read(size_ - tail, tail));
    for (size_t at = tail < kEndBytes ? 0 : tail - kEndBytes + 1; at-- > 0;) {
      if (U32(bytes, at) != kEndSignature ||
          U16(bytes, at + 20) != tail - at - kEndBytes) {
        continue;
      }
      const Directory directory{U32(bytes, at + 16), U32(bytes, at + 12),
                                U16(bytes, at + 10)};
      const bool in64 = directory.offset == kIn64 || directory.bytes == kIn64 ||
                        directory.members == 0xffff;
      return in64 ? FindDirectory64(size_ - tail + at) : directory;
    }
    return Damaged("it has no directory, as if it were cut off");
  }

  absl::StatusOr<Directory> FindDirectory64(uint64_t end_at) {
    if (end_at < kLocatorBytes) return Damaged("it has no zip64 locator");
    ASSIGN_OR_RETURN(const auto locator,
                     Read(end_at - kLocatorBytes, kLocatorBytes));
    if (U32(locator, 0) != kLocator64Signature) {
      return Damaged("it has no zip64 locator");
    }
    ASSIGN_OR_RETURN(const auto end, Read(Little(locator, 8, 8), kEnd64Bytes));
    if (U32(end, 0) != kEnd64Signature) {
      return Damaged("it has no zip64 directory");
    }
    return Directory{Little(end, 48, 8), Little(end, 40, 8),
                     Little(end, 32, 8)};
  }

  // Removes the first entry of the directory.
  absl::StatusOr<ZipMember> TakeEntry(absl::Span<const uint8_t>& rest) {
    if (rest.size() < kEntryBytes || U32(rest, 0) != kEntrySignature) {
      return Damaged("its directory is damaged");
    }
    const auto entry = rest.first(kEntryBytes);
    const size_t name = U16(entry, 28), extra = U16(entry, 30),
                 comment = U16(entry, 32);
    if (rest.size() - kEntryBytes < name + extra + comment) {
      return Damaged("its directory is cut off");
    }
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(rest.data()) + kEntryBytes,
                       name);
    if (U16(entry, 10) != 0 || (U16(entry, 8) & 1) != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          path_, ": the member ", Shown(member.name),
          " is compressed or encrypted; allowed: stored as it is, as "
          "numpy.savez does (not savez_compressed)"));
    }
    uint64_t local = U32(entry, 42), stored = U32(entry, 20);
    member.bytes = U32(entry, 24);
    RETURN_IF_ERROR(Widen(rest.subspan(kEntryBytes + name, extra),
                          {&member.bytes, &stored, &local}));
    if (stored != member.bytes) return Damaged("the sizes of a member differ");
    ASSIGN_OR_RETURN(member.offset, DataOffset(local, member));
    rest.remove_prefix(kEntryBytes + name + extra + comment);
    return member;
  }

  // Replaces values that are kIn64 by those of the zip64 extra field, which has
  // them in this order.
  absl::Status Widen(absl::Span<const uint8_t> extra,
                     std::initializer_list<uint64_t*> values) const {
    while (extra.size() >= 4) {
      const uint16_t id = U16(extra, 0);
      const size_t size = U16(extra, 2);
      if (size > extra.size() - 4) return Damaged("an extra field is cut off");
      if (id == kExtra64) {
        absl::Span<const uint8_t> field = extra.subspan(4, size);
        for (uint64_t* value : values) {
          if (*value != kIn64) continue;
          if (field.size() < 8) return Damaged("a zip64 field is cut off");
          *value = Little(field, 0, 8);
          field.remove_prefix(8);
        }
      }
      extra.remove_prefix(4 + size);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> DataOffset(uint64_t local, const ZipMember& member) {
    ASSIGN_OR_RETURN(const auto header, Read(local, kLocalBytes));
    if (U32(header, 0) != kLocalSignature) {
      return Damaged(absl::StrCat("the member ", Shown(member.name),
                                  " is not where the directory says"));
    }
    const uint64_t offset =
        local + kLocalBytes + U16(header, 26) + U16(header, 28);
    if (offset > size_ || member.bytes > size_ - offset) {
      return Damaged(
          absl::StrCat("the member ", Shown(member.name), " is cut off"));
    }
    return offset;
  }

  const std::string path_;
  const UniqueFd fd_;
  const uint64_t size_;
};

}  // namespace

absl::StatusOr<std::vector<ZipMember>> ListZipMembers(const std::string& path) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenForReading(path));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return PathError(path, "stat");
  return Archive(path, std::move(fd), static_cast<uint64_t>(info.st_size))
      .List();
}

}  // namespace tributary
