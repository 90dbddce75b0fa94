#include "trainer_client/tensors/tensor_snapshot.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/io/file_writer.h"
#include "common/text/status.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/export_pages.h"
#include "trainer_client/tensors/snapshot_files.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {
namespace {

constexpr size_t kLargestPage = size_t{4} << 20;
constexpr size_t kAllPages = size_t{128} << 20;
constexpr size_t kAppendBytes = size_t{1} << 20;

// One column's file, written in large pieces.
class ColumnFile {
 public:
  static absl::StatusOr<ColumnFile> Create(const SnapshotPath& path_for,
                                           const std::string& name,
                                           const SnapshotColumn& column,
                                           uint64_t rows) {
    ASSIGN_OR_RETURN(const std::string path, path_for(name));
    ASSIGN_OR_RETURN(FileWriter writer, FileWriter::Create(path));
    ColumnFile file(name, std::move(writer));
    const std::string header = ColumnHeader(column, rows);
    RETURN_IF_ERROR(file.writer_.Append(header));
    return file;
  }
  absl::Status Append(absl::Span<const uint8_t> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return buffer_.size() < kAppendBytes ? absl::OkStatus() : Flush();
  }
  absl::StatusOr<SnapshotFile> End() {
    RETURN_IF_ERROR(Flush());
    RETURN_IF_ERROR(writer_.SyncAndClose());
    return SnapshotFile{name_, writer_.bytes_written(), writer_.crc32c()};
  }

 private:
  ColumnFile(std::string name, FileWriter writer)
      : name_(std::move(name)), writer_(std::move(writer)) {}
  absl::Status Flush() {
    const absl::Status written = writer_.Append(absl::MakeConstSpan(buffer_));
    buffer_.clear();
    return written;
  }

  std::string name_;
  FileWriter writer_;
  std::vector<uint8_t> buffer_;
};

// Writes one tensor: merges the members' rows in ascending order, so that the
// files are the same whatever the number of servers.
class TensorWriter {
 public:
  TensorWriter(std::shared_ptr<TensorClient> client,
               std::shared_ptr<const TensorInfo> tensor)
      : client_(std::move(client)), tensor_(std::move(tensor)) {}

  absl::StatusOr<SnapshotTensor> Write(size_t number,
                                       const SnapshotPath& path_for,
                                       CollectiveProgress& progress) {
    RETURN_IF_ERROR(WaitForRound());
    RETURN_IF_ERROR(Describe());
    ASSIGN_OR_RETURN(columns_,
                     SnapshotColumnsOf(result_.spec, result_.optimizer));
    std::vector<ColumnFile> files;
    for (const SnapshotColumn& column : columns_) {
      ASSIGN_OR_RETURN(ColumnFile file,
                       ColumnFile::Create(path_for,
                                          absl::StrCat("tensor-", number, "-",
                                                       column.name, ".npy"),
                                          column, result_.written_rows));
      files.push_back(std::move(file));
    }
    RETURN_IF_ERROR(CopyRows(files, progress));
    for (ColumnFile& file : files) {
      ASSIGN_OR_RETURN(SnapshotFile ended, file.End());
      result_.files.push_back(std::move(ended));
    }
    return std::move(result_);
  }

 private:
  // Reads no rows of each member, once it has applied the rounds.
  absl::Status WaitForRound() {
    v1::ReadRowsRequest request;
    *request.mutable_attempt() = client_->ref();
    request.set_name(tensor_->spec.name());
    request.set_after_round(client_->closed_rounds());
    request.set_timeout_ms(client_->ServerTimeoutMs());
    return client_->CallMembers(tensor_->member_of,
                                MessageKind::kReadRowsRequest,
                                MessageKind::kReadRowsReply, request);
  }
  // Asks the members for the number of rows that were written.
  absl::Status Describe() {
    result_.spec = tensor_->spec;
    v1::ListTensorsRequest request;
    request.set_job(client_->ref().job());
    std::vector<TensorClient::Request> requests;
    for (const uint32_t member : tensor_->member_of) {
      requests.push_back({member,
                          {.kind = MessageKind::kListTensorsRequest,
                           .reply = MessageKind::kListTensorsReply,
                           .header = request.SerializeAsString(),
                           .deadline = client_->Deadline()}});
    }
    for (const auto& reply : client_->CallEach(std::move(requests))) {
      RETURN_IF_ERROR(reply.status());
      ASSIGN_OR_RETURN(const auto told, ParseReplyHeader<v1::ListTensorsReply>(
                                            reply->kind, reply->header));
      for (const auto& one : told.tensors()) {
        if (one.spec().name() != tensor_->spec.name() ||
            one.content_digest() != client_->ref().content_digest()) {
          continue;
        }
        result_.written_rows += one.written_rows();
        result_.optimizer = one.optimizer();
      }
    }
    return absl::OkStatus();
  }
  absl::Status CopyRows(std::vector<ColumnFile>& files,
                        CollectiveProgress& progress);
  // Returns the page whose first row is the least, and in `limit` the first row
  // of the next one; null if no rows are left.
  static ExportPages* Least(std::vector<ExportPages>& pages, uint64_t* limit);

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<const TensorInfo> tensor_;
  std::vector<SnapshotColumn> columns_;
  SnapshotTensor result_;
};

ExportPages* TensorWriter::Least(std::vector<ExportPages>& pages,
                                 uint64_t* limit) {
  ExportPages* least = nullptr;
  *limit = UINT64_MAX;
  for (ExportPages& page : pages) {
    if (page.done()) continue;
    if (least == nullptr || page.rows()[0] < least->rows()[0]) {
      if (least != nullptr) *limit = std::min(*limit, least->rows()[0]);
      least = &page;
    } else {
      *limit = std::min(*limit, page.rows()[0]);
    }
  }
  return least;
}

absl::Status TensorWriter::CopyRows(std::vector<ColumnFile>& files,
                                    CollectiveProgress& progress) {
  const size_t page_bytes =
      std::min(kLargestPage, kAllPages / tensor_->member_of.size());
  std::vector<ExportPages> pages;
  for (const uint32_t member : tensor_->member_of) {
    pages.emplace_back(client_, tensor_, columns_, member, page_bytes);
    RETURN_IF_ERROR(pages.back().Fill());
  }
  uint64_t copied = 0;
  uint64_t limit = 0;
  while (ExportPages* page = Least(pages, &limit)) {
    const auto rows = page->rows();
    const size_t count = static_cast<size_t>(
        std::lower_bound(rows.begin(), rows.end(), limit) - rows.begin());
    for (size_t c = 0; c < files.size(); ++c) {
      RETURN_IF_ERROR(files[c].Append(page->Column(c, count)));
    }
    copied += count;
    page->Take(count);
    RETURN_IF_ERROR(page->Fill());
    RETURN_IF_ERROR(progress.Report());
  }
  if (copied == result_.written_rows) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat("tensor '", tensor_->spec.name(), "' had ",
                   result_.written_rows, " written rows and then ", copied,
                   ": no rank may write while a snapshot is taken"));
}

absl::Status WriteList(const SnapshotList& list, const SnapshotPath& path_for) {
  ASSIGN_OR_RETURN(const std::string path, path_for(kTensorsFile));
  ASSIGN_OR_RETURN(FileWriter writer, FileWriter::Create(path));
  RETURN_IF_ERROR(writer.Append(ToJson(list)));
  return writer.SyncAndClose();
}

absl::StatusOr<std::string> WriteAll(
    const std::shared_ptr<TensorClient>& client, const SnapshotPath& path_for,
    CollectiveProgress& progress) {
  SnapshotList list;
  list.rounds = client->closed_rounds();
  for (const auto& tensor : client->Tensors()) {
    TensorWriter writer(client, tensor);
    ASSIGN_OR_RETURN(SnapshotTensor written,
                     writer.Write(list.tensors.size(), path_for, progress));
    list.tensors.push_back(std::move(written));
  }
  RETURN_IF_ERROR(WriteList(list, path_for));
  return std::string();
}

}  // namespace

absl::Status WriteTensorSnapshot(DistContext& context,
                                 const SnapshotPath& path_for) {
  const auto client = context.tensors().shared_from_this();
  return RunTogether(
             *client,
             absl::StrCat("snapshot at round ", client->closed_rounds()),
             std::string(),
             [&](CollectiveProgress& progress) {
               return WriteAll(client, path_for, progress);
             })
      .status();
}

}  // namespace tributary
