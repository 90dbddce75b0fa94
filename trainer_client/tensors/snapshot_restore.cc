#include "trainer_client/tensors/snapshot_restore.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/row_write.h"
#include "trainer_client/tensors/snapshot_files.h"
#include "trainer_client/tensors/tensor_creation.h"
#include "trainer_client/tensors/tensor_snapshot.h"

namespace tributary {
namespace {

constexpr size_t kMaxListBytes = size_t{64} << 20;
constexpr size_t kImportBytes = size_t{16} << 20;
constexpr size_t kChecksumBytes = size_t{64} << 20;

// One column's file, checked.
class ColumnRows {
 public:
  static absl::StatusOr<ColumnRows> Open(const std::string& folder,
                                         const SnapshotFile& file,
                                         const SnapshotColumn& column,
                                         uint64_t rows,
                                         CollectiveProgress& progress) {
    const std::string path = absl::StrCat(folder, "/", file.name);
    ASSIGN_OR_RETURN(FileMapping mapping, FileMapping::Open(path));
    const auto bytes = mapping.bytes();
    if (bytes.size() != file.bytes) {
      return absl::DataLossError(absl::StrCat(
          path, ": ", bytes.size(), " bytes instead of ", file.bytes));
    }
    uint32_t crc = 0;
    for (size_t at = 0; at < bytes.size(); at += kChecksumBytes) {
      crc = ExtendCrc32c(crc, bytes.subspan(at, kChecksumBytes));
      RETURN_IF_ERROR(progress.Report());
    }
    const std::string header = ColumnHeader(column, rows);
    if (crc != file.crc32c ||
        std::memcmp(bytes.data(), header.data(), header.size()) != 0) {
      return absl::DataLossError(
          absl::StrCat(path, ": the file is damaged (CRC32C or header)"));
    }
    return ColumnRows(std::move(mapping), header.size(), column.row_bytes());
  }
  RowWrite::Column From(uint64_t row) const {
    return {mapping_.bytes().data() + offset_ + row * row_bytes_, row_bytes_};
  }

 private:
  ColumnRows(FileMapping mapping, size_t offset, size_t row_bytes)
      : mapping_(std::move(mapping)), offset_(offset), row_bytes_(row_bytes) {}

  FileMapping mapping_;
  size_t offset_;
  size_t row_bytes_;
};

// Returns DATA_LOSS unless the rows are ascending and of the tensor.
absl::Status CheckAscending(absl::Span<const int64_t> rows,
                            const v1::TensorSpec& spec) {
  int64_t least = 0;
  for (const int64_t row : rows) {
    if (row < least || static_cast<uint64_t>(row) >= spec.num_rows()) {
      return absl::DataLossError(
          absl::StrCat("the snapshot of tensor '", spec.name(), "': row ", row,
                       " is out of range or not in order"));
    }
    least = row + 1;
  }
  return absl::OkStatus();
}

class SnapshotReader final : public TensorRestorer {
 public:
  SnapshotReader(std::string folder, SnapshotList list)
      : folder_(std::move(folder)) {
    for (SnapshotTensor& tensor : list.tensors) {
      std::string name = tensor.spec.name();
      tensors_.emplace(std::move(name), std::move(tensor));
    }
  }

  bool Has(const std::string& name) const override {
    return tensors_.count(name) > 0;
  }
  absl::Status Check(const v1::TensorSpec& spec) const override {
    const v1::TensorSpec& was = tensors_.at(spec.name()).spec;
    if (was.SerializeAsString() == spec.SerializeAsString()) {
      return absl::OkStatus();
    }
    return absl::AlreadyExistsError(absl::StrCat(
        "tensor '", spec.name(), "': the snapshot ", folder_, " has {",
        was.ShortDebugString(), "}, and the run asks for {",
        spec.ShortDebugString(), "}"));
  }
  v1::SparseOptimizer OptimizerOf(const std::string& name) const override {
    return tensors_.at(name).optimizer;
  }
  absl::Status Restore(std::shared_ptr<TensorClient> client,
                       std::shared_ptr<const TensorInfo> tensor,
                       CollectiveProgress& progress) override;

 private:
  const std::string folder_;
  std::map<std::string, SnapshotTensor> tensors_;
};

absl::Status SnapshotReader::Restore(std::shared_ptr<TensorClient> client,
                                     std::shared_ptr<const TensorInfo> tensor,
                                     CollectiveProgress& progress) {
  const SnapshotTensor& from = tensors_.at(tensor->spec.name());
  ASSIGN_OR_RETURN(const auto columns,
                   SnapshotColumnsOf(from.spec, from.optimizer));
  std::vector<ColumnRows> files;
  size_t bytes_per_row = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    ASSIGN_OR_RETURN(ColumnRows file,
                     ColumnRows::Open(folder_, from.files[c], columns[c],
                                      from.written_rows, progress));
    files.push_back(std::move(file));
    bytes_per_row += columns[c].row_bytes();
  }
  const auto rows = absl::MakeConstSpan(
      reinterpret_cast<const int64_t*>(files[0].From(0).data),
      from.written_rows);
  RETURN_IF_ERROR(CheckAscending(rows, from.spec));
  const auto kind = columns.size() > 2 ? RowWrite::Kind::kImportWithState
                                       : RowWrite::Kind::kImport;
  const size_t step = std::max<size_t>(1, kImportBytes / bytes_per_row);
  for (size_t at = 0; at < rows.size(); at += step) {
    std::vector<RowWrite::Column> values;
    for (size_t c = 1; c < files.size(); ++c) {
      values.push_back(files[c].From(at));
    }
    auto write = std::make_shared<RowWrite>(client, tensor, kind,
                                            rows.subspan(at, step), values);
    RETURN_IF_ERROR(client
                        ->Await<uint64_t>([write](RowWrite::Done done) {
                          write->Start(std::move(done));
                        })
                        .status());
    RETURN_IF_ERROR(progress.Report());
  }
  return absl::OkStatus();
}

absl::StatusOr<SnapshotList> ReadList(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/", kTensorsFile);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxListBytes));
  auto list = ParseSnapshotList(text);
  if (list.ok()) return list;
  return absl::Status(list.status().code(),
                      absl::StrCat(path, ": ", list.status().message()));
}

absl::Status SetRounds(TensorClient& client, uint64_t rounds) {
  if (rounds == 0) return absl::OkStatus();
  v1::SetRoundRequest request;
  *request.mutable_attempt() = client.ref();
  request.set_round(rounds);
  return client.CallAll(MessageKind::kSetRoundRequest,
                        MessageKind::kSetRoundReply, request);
}

}  // namespace

absl::Status RestoreTensors(const std::shared_ptr<TensorClient>& client,
                            const std::string& folder) {
  absl::StatusOr<SnapshotList> list = SnapshotList();
  if (client->rank() == 0) list = ReadList(folder);
  absl::StatusOr<std::string> mine = std::string();
  if (!list.ok()) mine = list.status();
  ASSIGN_OR_RETURN(
      const std::string told,
      RunTogether(*client, "restore tensors", mine,
                  [&](CollectiveProgress&) -> absl::StatusOr<std::string> {
                    RETURN_IF_ERROR(SetRounds(*client, list->rounds));
                    return absl::StrCat(list->rounds);
                  }));
  uint64_t rounds = 0;
  if (!absl::SimpleAtoi(told, &rounds)) {
    return absl::InternalError("rank 0 tells no number of rounds");
  }
  client->set_closed_rounds(rounds);
  if (client->rank() == 0) {
    client->set_restorer(
        std::make_shared<SnapshotReader>(folder, *std::move(list)));
  }
  return absl::OkStatus();
}

}  // namespace tributary
