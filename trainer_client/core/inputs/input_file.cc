#include "trainer_client/core/inputs/input_file.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/file_mapping.h"
#include "common/tensor/npy_vector.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns the file's elements decoded by `decode`, whose errors get the file's
// name.
template <typename T>
absl::StatusOr<T> ReadVector(const std::string& path,
                             absl::StatusOr<T> (*decode)(const NpyVector&)) {
  ASSIGN_OR_RETURN(const FileMapping file, FileMapping::Open(path));
  const auto elements = FindNpyVector(file.bytes());
  absl::Status status = elements.status();
  if (elements.ok()) {
    absl::StatusOr<T> decoded = decode(*elements);
    if (decoded.ok()) return decoded;
    status = decoded.status();
  }
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<InputList> IdsOrMaskOf(const NpyVector& vector) {
  InputList list;
  if (vector.type.kind == 'b') {
    list.mask.assign(vector.data, vector.data + vector.size);
    return list;
  }
  ASSIGN_OR_RETURN(list.ids, IdsOf(vector));
  if (AreMask(list.ids)) {
    list.mask.assign(list.ids.begin(), list.ids.end());
    list.ids.clear();
    return list;
  }
  const bool zeros_and_ones =
      absl::c_all_of(list.ids, [](int64_t id) { return id == 0 || id == 1; });
  if (vector.type.size > 1 || list.ids.empty() || !zeros_and_ones) return list;
  return absl::InvalidArgumentError(absl::StrCat(
      list.ids.size(), " elements 0 or 1 of type ", vector.type.descr(),
      ", which may be ids or a mask\nallowed: a mask of bool, as "
      "a.astype(bool) makes it; ids of int64, as a.astype(np.int64) makes "
      "them, or --input-nodes ",
      absl::StrJoin(list.ids, ",")));
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ReadInputFile(const std::string& path) {
  return ReadVector(path, IdsOf);
}

absl::StatusOr<std::vector<int64_t>> ReadTimeFile(const std::string& path) {
  return ReadVector(path, TimesOf);
}

absl::StatusOr<InputList> ReadInputListFile(const std::string& path) {
  return ReadVector(path, IdsOrMaskOf);
}

absl::StatusOr<std::vector<double>> ReadWeightFile(const std::string& path) {
  return ReadVector(path, WeightsOf);
}

}  // namespace tributary
