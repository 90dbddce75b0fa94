// Reads the pieces that RowQueue dispatches: the one place that waits for a
// disk.
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

// Some rows of a file, with the arguments of RowFile::Read. The caller keeps
// what it refers to until the piece is done.
struct RowPiece {
  const RowFile* file = nullptr;
  RowPlaces places;
  absl::Span<const uint32_t> order;
  CancelToken cancel;
};

// The interface to the disk. Thread-safe.
class PieceReader {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<RowReadCounts>)>;

  virtual ~PieceReader() = default;
  // Reads `piece` and calls `done` once, on any thread, never inside this call.
  // Must not block: the caller may hold locks.
  virtual void Read(RowPiece piece, Done done) = 0;
};

// Reads on `threads`, an executor whose threads may block and do nothing else,
// and which outlives this.
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
