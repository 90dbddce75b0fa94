// Reads rows of one tensor from the members that hold them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_READ_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_READ_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/runtime/mutex.h"
#include "trainer_client/tensors/row_cut.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// One list of rows, read by one request for each piece. Held by shared_ptr.
class DistRowRead : public std::enable_shared_from_this<DistRowRead> {
 public:
  // The number that Start calls back with; of no meaning.
  using Done = TensorClient::Callback<uint64_t>;

  // Requires rows that CheckRows has passed.
  DistRowRead(std::shared_ptr<TensorClient> client,
              std::shared_ptr<const TensorInfo> tensor,
              absl::Span<const int64_t> rows);
  // Reads the rows of `earlier`, which has ended well, again: of each only
  // those that have changed. `out` of Start holds the values of `earlier`.
  explicit DistRowRead(const DistRowRead& earlier);
  DistRowRead& operator=(const DistRowRead&) = delete;

  // Reads into `out`, after round `after_round` is applied; calls `done` once.
  // On the strand; `out` is written to until then, or until Abandon.
  void Start(absl::Span<uint8_t> out, uint64_t after_round, Done done);
  // Once it has returned, `out` is not written to. Thread-safe.
  void Abandon();

 private:
  struct Piece {
    std::shared_ptr<const MemberPiece> rows;
    std::shared_ptr<const std::vector<uint64_t>> payload;
    uint64_t round = 0;  // the last that was applied when it was read; 0: never
  };

  MemberCall MakeCall(const Piece& piece, uint64_t after_round) const;
  void OnReply(size_t piece, absl::StatusOr<CallReply> reply);
  absl::Status Take(Piece& piece, const CallReply& reply);
  absl::Status Copy(const Piece& piece, absl::Span<const uint8_t> payload);
  absl::Status CopyChanged(const Piece& piece,
                           absl::Span<const uint8_t> payload);

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<const TensorInfo> tensor_;
  std::vector<Piece> pieces_;
  size_t missing_ = 0;
  absl::Status status_;
  Done done_;
  Mutex mutex_;
  absl::Span<uint8_t> out_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_READ_H_
