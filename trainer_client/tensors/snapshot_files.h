// The files of a snapshot of tensors: tensors.json, and .npy files of the rows.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_SNAPSHOT_FILES_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_SNAPSHOT_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/proto/tensors.pb.h"
#include "common/tensor/npy.h"

namespace tributary {

// One array of a tensor: a row of it for each row that was written.
struct SnapshotColumn {
  std::string name;  // "rows", "values", "sum", "moment1", "moment2", "steps"
  NpyType type;
  std::vector<int64_t> row_shape;  // empty: one value per row

  size_t row_bytes() const;
};

// Returns the columns of a tensor in the order of ExportRows' payload.
// INVALID_ARGUMENT for a dtype that there is not.
absl::StatusOr<std::vector<SnapshotColumn>> SnapshotColumnsOf(
    const v1::TensorSpec& spec, v1::SparseOptimizer optimizer);

struct SnapshotFile {
  std::string name;  // in the snapshot's folder
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
};

struct SnapshotTensor {
  v1::TensorSpec spec;
  v1::SparseOptimizer optimizer = v1::SPARSE_NONE;
  uint64_t written_rows = 0;
  std::vector<SnapshotFile> files;  // by column
};

struct SnapshotList {
  uint64_t rounds = 0;  // that were closed
  std::vector<SnapshotTensor> tensors;
};

// The text of tensors.json.
std::string ToJson(const SnapshotList& list);
// DATA_LOSS, naming the key, for a text that ToJson has not written. Checks
// that numbers are in range, that names are distinct, and that files have plain
// names and the sizes that their rows need.
absl::StatusOr<SnapshotList> ParseSnapshotList(absl::string_view json);

// Returns the header of a column's file with `rows` rows.
std::string ColumnHeader(const SnapshotColumn& column, uint64_t rows);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_SNAPSHOT_FILES_H_
