// Writes rows of one tensor to the members that hold them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_WRITE_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_WRITE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/tensors/row_cut.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// One list of rows with their values, written by one numbered request for each
// piece. Held by shared_ptr.
class RowWrite : public std::enable_shared_from_this<RowWrite> {
 public:
  // The number that Start calls back with; of no meaning.
  using Done = TensorClient::Callback<uint64_t>;
  enum class Kind { kSet, kAdd, kImport, kImportWithState };
  // A column of the payload, [rows.size()] of `row_bytes` each.
  struct Column {
    const uint8_t* data = nullptr;
    size_t row_bytes = 0;
  };

  // Copies rows and columns. A row that comes twice: Set takes the last value;
  // Add adds both, in their order. An import's rows are distinct. Requires rows
  // that CheckRows has passed.
  RowWrite(std::shared_ptr<TensorClient> client,
           std::shared_ptr<const TensorInfo> tensor, Kind kind,
           absl::Span<const int64_t> rows, const std::vector<Column>& columns);

  // Calls `done` once, when all pieces are applied. On the strand.
  void Start(Done done);

 private:
  struct Piece {
    uint32_t member = 0;
    size_t num_rows = 0;
    std::shared_ptr<const std::vector<uint8_t>> payload;
  };

  void Send(const Piece& piece);
  MemberCall MakeCall(const Piece& piece, uint64_t sequence) const;
  void OnReply(uint32_t member, uint64_t sequence,
               const absl::StatusOr<CallReply>& reply);

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<const TensorInfo> tensor_;
  const Kind kind_;
  // By member. One after another where a row comes in several pieces.
  std::map<uint32_t, std::deque<Piece>> pieces_;
  bool in_order_ = false;
  size_t missing_ = 0;
  Done done_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_WRITE_H_
