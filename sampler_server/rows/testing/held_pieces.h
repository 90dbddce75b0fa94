// A fake disk that answers when a test tells it to, in any order.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_TESTING_HELD_PIECES_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_TESTING_HELD_PIECES_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/runtime/mutex.h"
#include "sampler_server/rows/piece_reader.h"

namespace tributary {

// Holds each piece until the test answers it. Thread-safe.
class HeldPieces final : public PieceReader {
 public:
  void Read(RowPiece piece, Done done) override {
    MutexLock lock(mutex_);
    held_.push_back({std::move(piece), std::move(done)});
    came_.NotifyAll();
  }

  size_t size() const {
    MutexLock lock(mutex_);
    return held_.size();
  }
  // Returns the row numbers of held piece `i`, in the order of the file.
  std::vector<uint64_t> RowsOf(size_t i) const {
    MutexLock lock(mutex_);
    std::vector<uint64_t> rows;
    for (const uint32_t index : held_[i].piece.order) {
      rows.push_back(held_[i].piece.places.rows[index]);
    }
    return rows;
  }
  // Whether whoever asked for held piece `i` has told the disk to stop.
  bool IsCancelled(size_t i) const {
    MutexLock lock(mutex_);
    return held_[i].piece.cancel.cancelled();
  }
  // Blocks until a piece is held.
  void AwaitOne() {
    MutexLock lock(mutex_);
    while (held_.empty()) came_.Wait(mutex_);
  }
  // Reads held piece `i` from its file and answers it.
  void Answer(size_t i) {
    Held held = Take(i);
    held.done(held.piece.file->Read(held.piece.places, held.piece.order,
                                    held.piece.cancel));
  }
  // Answers held piece `i` with an error.
  void Fail(size_t i, absl::Status why) { Take(i).done(std::move(why)); }
  // Answers all held pieces, last first, and those that arrive meanwhile.
  void AnswerAll() {
    while (const size_t n = size()) Answer(n - 1);
  }

 private:
  struct Held {
    RowPiece piece;
    Done done;
  };
  Held Take(size_t i) {
    MutexLock lock(mutex_);
    Held held = std::move(held_[i]);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    return held;
  }

  mutable Mutex mutex_;
  CondVar came_;
  std::vector<Held> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_TESTING_HELD_PIECES_H_
