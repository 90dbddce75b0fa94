// Schedules the reads of rows from files: cuts requests into pieces, of which a
// bounded number is read at once.
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
  // Limits of a piece; a single row may have more bytes. So at most `pieces`
  // times as many bytes are in flight.
  size_t piece_rows = 128;
  size_t piece_bytes = size_t{256} << 10;
};

// Requests take turns, a piece each, so that a large one does not hold up a
// small one. A piece is a run of the request's rows in the order of the file. A
// waiting request holds only the numbers of its rows, whose memory its task has
// reserved. A request fails with DEADLINE_EXCEEDED or CANCELLED, as its
// deadline and token say, or with the error of its first piece that failed; it
// is answered only when none of its pieces is being read, so that nothing is
// written to its memory afterwards.
//
// Thread-safe. Create with std::make_shared. Answers on the strand of the
// request.
class RowQueue final : public RowReader,
                       public std::enable_shared_from_this<RowQueue> {
 public:
  // `pieces` must outlive Stop().
  RowQueue(PieceReader* pieces, const RowQueueLimits& limits,
           RowMetrics metrics = {})
      : pieces_(pieces), limits_(limits), metrics_(metrics) {}

  void Read(RowRead read, std::shared_ptr<Strand> strand, Done done) override;

  // Returns how many pieces could not be read so far.
  uint64_t errors() const {
    return static_cast<uint64_t>(metrics_.errors.Value());
  }

  // Dispatches nothing more to the PieceReader; requests that wait end with
  // CANCELLED.
  void Stop();

 private:
  // A request that is not answered yet. The members below `timer` are guarded
  // by mutex_.
  struct Request {
    RowRead read;
    std::shared_ptr<Strand> strand;
    Done done;
    std::vector<uint32_t> order;
    size_t piece_rows = 1;
    absl::Time began;
    TimerId timer = 0;
    size_t next = 0;    // of `order`: the first row not dispatched yet
    int in_flight = 0;  // pieces
    bool answered = false;
    absl::Status status;

    bool over() const { return in_flight == 0 && next == order.size(); }
  };
  using RequestPtr = std::shared_ptr<Request>;

  size_t PieceRows(const RowRead& read) const;
  void Enqueue(const RequestPtr& request);
  void Dispatch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DispatchPiece(const RequestPtr& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnPiece(const RequestPtr& request,
               const absl::StatusOr<RowReadCounts>& counts);
  // Dispatches nothing more of the request, which ends with `why`.
  void Drop(const RequestPtr& request, absl::Status why);
  void DropLocked(const RequestPtr& request, absl::Status why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns true once, when the request is over: the caller is to answer it.
  bool ClaimAnswer(const RequestPtr& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Answer(const RequestPtr& request);

  PieceReader* const pieces_;
  const RowQueueLimits limits_;
  RowMetrics metrics_;
  Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  // Requests with rows that are not dispatched yet; next turn first.
  std::deque<RequestPtr> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_QUEUE_H_
