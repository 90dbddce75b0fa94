#include "cli/inputs/input_file.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/file_mapping.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"

namespace tributary {
namespace {

template <typename T>
absl::StatusOr<std::vector<int64_t>> Widen(const uint8_t* data, size_t n) {
  std::vector<int64_t> ids(n);
  for (size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (value > std::numeric_limits<int64_t>::max()) {
        return absl::InvalidArgumentError(
            absl::StrCat("element ", i, " is ", value,
                         "\nallowed: ids up to 9223372036854775807"));
      }
    }
    // int8 ids are numbers, not characters.
    ids[i] =
        static_cast<int64_t>(value);  // NOLINT(bugprone-signed-char-misuse)
  }
  return ids;
}

absl::StatusOr<std::vector<int64_t>> WidenAs(NpyType type, const uint8_t* data,
                                             size_t n) {
  const bool is_signed = type.kind == 'i';
  if (is_signed || type.kind == 'u') {
    switch (type.size) {
      case 1:
        return is_signed ? Widen<int8_t>(data, n) : Widen<uint8_t>(data, n);
      case 2:
        return is_signed ? Widen<int16_t>(data, n) : Widen<uint16_t>(data, n);
      case 4:
        return is_signed ? Widen<int32_t>(data, n) : Widen<uint32_t>(data, n);
      case 8:
        return is_signed ? Widen<int64_t>(data, n) : Widen<uint64_t>(data, n);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "elements of type ", type.descr(), "\nallowed: whole numbers (<i8)"));
}

// The elements of a one-dimensional .npy file.
struct Elements {
  NpyType type;
  const uint8_t* data = nullptr;
  size_t size = 0;
};

absl::StatusOr<Elements> FindElements(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(bytes));
  if (header.shape.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape (", absl::StrJoin(header.shape, ", "),
                     ")\nallowed: one dimension"));
  }
  if (header.data_bytes() != bytes.size() - header.data_offset) {
    return absl::DataLossError(absl::StrCat(
        bytes.size() - header.data_offset, " bytes of elements, but ",
        header.data_bytes(), " by its header"));
  }
  return Elements{header.type, bytes.data() + header.data_offset,
                  static_cast<size_t>(header.shape[0])};
}

// Returns the file's elements decoded by `decode`, whose errors get the file's
// name.
template <typename T>
absl::StatusOr<T> ReadVector(const std::string& path,
                             absl::StatusOr<T> (*decode)(const Elements&)) {
  ASSIGN_OR_RETURN(const FileMapping file, FileMapping::Open(path));
  const auto elements = FindElements(file.bytes());
  absl::Status status = elements.status();
  if (elements.ok()) {
    absl::StatusOr<T> decoded = decode(*elements);
    if (decoded.ok()) return decoded;
    status = decoded.status();
  }
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<std::vector<int64_t>> DecodeIds(const Elements& elements) {
  return WidenAs(elements.type, elements.data, elements.size);
}

absl::StatusOr<InputList> DecodeIdsOrMask(const Elements& elements) {
  InputList list;
  if (elements.type.kind == 'b') {
    list.mask.assign(elements.data, elements.data + elements.size);
    return list;
  }
  ASSIGN_OR_RETURN(list.ids, DecodeIds(elements));
  return list;
}

template <typename T>
std::vector<double> ToDoubles(const Elements& elements) {
  std::vector<T> values(elements.size);
  if (!values.empty()) {
    std::memcpy(values.data(), elements.data, elements.size * sizeof(T));
  }
  return {values.begin(), values.end()};
}

absl::StatusOr<std::vector<double>> DecodeWeights(const Elements& elements) {
  const NpyType type = elements.type;
  if (type.kind == 'f' && type.size == 4) return ToDoubles<float>(elements);
  if (type.kind == 'f' && type.size == 8) return ToDoubles<double>(elements);
  return absl::InvalidArgumentError(absl::StrCat(
      "elements of type ", type.descr(), "\nallowed: weights (<f4 or <f8)"));
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ReadInputFile(const std::string& path) {
  return ReadVector(path, DecodeIds);
}

absl::StatusOr<InputList> ReadInputListFile(const std::string& path) {
  return ReadVector(path, DecodeIdsOrMask);
}

absl::StatusOr<std::vector<double>> ReadWeightFile(const std::string& path) {
  return ReadVector(path, DecodeWeights);
}

}  // namespace tributary
