// Reads what RowQueue hands out: the one place where a disk is waited for.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_PIECE_READER_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_PIECE_READER_H_

#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "partition/format/row_file.h"

namespace tributary {

// Some rows of a file, as RowFile::Read has them. Who made it keeps what it
// points to until it is done.
struct RowPiece {
  const RowFile* file = nullptr;
  RowPlaces places;
  absl::Span<const uint32_t> order;
  CancelToken cancel;
};

class PieceReader {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<RowReadCounts>)>;

  virtual ~PieceReader() = default;
  // `done` runs once, on any thread, never inside the call, which may hold
  // locks: it must not block.
  virtual void Read(RowPiece piece, Done done) = 0;
};

// Reads on an executor whose threads may block and do nothing else. It outlives
// this.
class ThreadPieceReader final : public PieceReader {
 public:
  explicit ThreadPieceReader(Executor* threads) : threads_(threads) {}

  void Read(RowPiece piece, Done done) override {
    threads_->Post(
        [piece = std::move(piece), done = std::move(done)]() mutable {
          done(piece.file->Read(piece.places, piece.order, piece.cancel));
        });
  }

 private:
  Executor* const threads_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_PIECE_READER_H_
