// Who reads which rows next: requests are cut into pieces, so many of which are
// read at once.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_QUEUE_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_QUEUE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/rows/piece_reader.h"
#include "sampler_server/rows/row_metrics.h"

namespace tributary {

struct RowQueueLimits {
  int pieces = 8;  // read at once
  // Of a piece, but for a single row that has more. So bytes in flight are at
  // most `pieces` times as many.
  size_t piece_rows = 128;
  size_t piece_bytes = size_t{256} << 10;
};

// Each request gives a piece in turn, so that a large one does not hold up a
// small one; a piece is a range of the file, ascending. What waits here is only
// rows' numbers, which its request has reserved. Create with std::make_shared.
// Thread-safe.
class RowQueue final : public RowReader,
                       public std::enable_shared_from_this<RowQueue> {
 public:
  // `pieces` outlives Stop().
  RowQueue(PieceReader* pieces, const RowQueueLimits& limits,
           RowMetrics metrics = {})
      : pieces_(pieces), limits_(limits), metrics_(metrics) {}

  void Read(RowRead read, std::shared_ptr<Strand> strand, Done done) override;

  // From now on nothing more is asked of the PieceReader: what waits ends as
  // CANCELLED.
  void Stop();

 private:
  // A request that is not answered yet. `out` and `failed` under mutex_.
  struct Request {
    RowRead read;
    std::shared_ptr<Strand> strand;
    Done done;
    std::vector<uint32_t> order;
    size_t piece_rows = 1;
    absl::Time began;
    TimerId timer = 0;
    size_t next = 0;  // of order: not handed out yet
    int in_flight = 0;
    bool answered = false;
    absl::Status status;

    bool over() const { return in_flight == 0 && next == order.size(); }
  };
  using RequestPtr = std::shared_ptr<Request>;

  size_t PieceRows(const RowRead& read) const;
  void Enter(const RequestPtr& request);
  void HandOut() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandOutOne(const RequestPtr& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnPiece(const RequestPtr& request,
               const absl::StatusOr<RowReadCounts>& counts);
  // Hands out no more of it.
  void Drop(const RequestPtr& request, absl::Status why);
  void DropLocked(const RequestPtr& request, absl::Status why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // True the first time that it is over.
  bool TakeOver(const RequestPtr& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Answer(const RequestPtr& request);

  PieceReader* const pieces_;
  const RowQueueLimits limits_;
  RowMetrics metrics_;
  Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<RequestPtr> waiting_ ABSL_GUARDED_BY(mutex_);  // have rows left
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_QUEUE_H_
