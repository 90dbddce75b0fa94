// Reads the rows that one member holds of a tensor, page by page.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_EXPORT_PAGES_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_EXPORT_PAGES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/proto/tensors.pb.h"
#include "trainer_client/tensors/snapshot_files.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// Checks that a page brings the end of a tensor of `num_rows` nearer: it has
// rows, or it passes over so many that there are few such pages. INTERNAL
// otherwise.
absl::Status CheckProgress(const v1::ExportRowsReply& page, uint64_t cursor,
                           uint64_t num_rows);

// The rows come ascending. One thread; calls wait.
class ExportPages {
 public:
  // `member` is that of the attempt; a page has at most `page_bytes`, but at
  // least one row.
  ExportPages(std::shared_ptr<TensorClient> client,
              std::shared_ptr<const TensorInfo> tensor,
              const std::vector<SnapshotColumn>& columns, uint32_t member,
              size_t page_bytes);

  // Reads the next page if this one is at its end. Errors are the member's;
  // INTERNAL if its rows are not ascending, or not its own, or its pages have
  // no end (CheckProgress).
  absl::Status Fill();
  // Whether there is no row any more. Valid after Fill.
  bool done() const { return position_ == rows_.size(); }
  // The rows of the page that are not taken yet. Valid after Fill.
  absl::Span<const uint64_t> rows() const {
    return absl::MakeConstSpan(rows_).subspan(position_);
  }
  // Returns the bytes of a column for the first `count` of these rows.
  absl::Span<const uint8_t> Column(size_t column, size_t count) const;
  void Take(size_t count) { position_ += count; }

 private:
  absl::Status Read();
  absl::Status Check(uint64_t after) const;

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<const TensorInfo> tensor_;
  std::vector<size_t> row_bytes_;  // by column
  size_t bytes_per_row_ = 0;       // of all columns
  const uint32_t member_;
  const size_t page_bytes_;
  AlignedBuffer page_;
  std::vector<uint64_t> rows_;  // of the page
  size_t position_ = 0;
  uint64_t cursor_ = 0;
  uint64_t next_ = 0;  // the least row that may come
  bool ended_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_EXPORT_PAGES_H_
