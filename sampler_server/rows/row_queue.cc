#include "sampler_server/rows/row_queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sampler_server/rows/row_order.h"

namespace tributary {
namespace {

// So few that even a small request is read by several threads at once.
constexpr size_t kMinPieceRows = 16;

}  // namespace

void RowQueue::Read(RowRead read, std::shared_ptr<Strand> strand, Done done) {
  auto request = std::make_shared<Request>();
  request->order = RowOrder(read.places.rows);
  request->piece_rows = PieceRows(read);
  request->read = std::move(read);
  request->strand = std::move(strand);
  request->done = std::move(done);
  request->began = request->strand->Now();
  metrics_.waiting.Add(1);
  const auto drop_later = [weak = weak_from_this(),
                           gone = std::weak_ptr(request)](absl::Status why) {
    const auto self = weak.lock();
    const auto request = gone.lock();
    if (self != nullptr && request != nullptr) self->Drop(request, why);
  };
  request->timer = request->strand->PostAt(
      request->read.deadline, [drop_later, path = request->read.file->path()] {
        drop_later(absl::DeadlineExceededError(
            absl::StrCat("rows of ", path, " were not read in time")));
      });
  const CancelToken cancel = request->read.cancel;
  Enqueue(request);
  cancel.OnCancel([drop_later] {
    drop_later(absl::CancelledError("the rows are no longer wanted"));
  });
}

size_t RowQueue::PieceRows(const RowRead& read) const {
  const size_t most = std::clamp<size_t>(
      limits_.piece_bytes / read.file->row_bytes(), 1, limits_.piece_rows);
  const size_t shared =
      read.places.rows.size() / static_cast<size_t>(limits_.pieces);
  return std::clamp(shared, std::min(kMinPieceRows, most), most);
}

void RowQueue::Enqueue(const RequestPtr& request) {
  bool over = false;
  {
    MutexLock lock(mutex_);
    if (stopped_) {
      DropLocked(request, absl::CancelledError("this server stops"));
    } else if (!request->over()) {
      waiting_.push_back(request);
      Dispatch();
    }
    over = ClaimAnswer(request);
  }
  if (over) Answer(request);
}

void RowQueue::Dispatch() {
  while (!stopped_ && in_flight_ < limits_.pieces && !waiting_.empty()) {
    const RequestPtr request = std::move(waiting_.front());
    waiting_.pop_front();
    DispatchPiece(request);
    if (request->next < request->order.size()) waiting_.push_back(request);
  }
}

void RowQueue::DispatchPiece(const RequestPtr& request) {
  const size_t n =
      std::min(request->piece_rows, request->order.size() - request->next);
  RowPiece piece{request->read.file, request->read.places,
                 absl::MakeConstSpan(request->order).subspan(request->next, n),
                 request->read.cancel};
  request->next += n;
  ++request->in_flight;
  ++in_flight_;
  metrics_.in_flight.Add(1);
  pieces_->Read(std::move(piece),
                [self = shared_from_this(), request](const auto& counts) {
                  self->OnPiece(request, counts);
                });
}

void RowQueue::OnPiece(const RequestPtr& request,
                       const absl::StatusOr<RowReadCounts>& counts) {
  metrics_.in_flight.Add(-1);
  if (counts.ok()) {
    metrics_.rows.Add(static_cast<double>(counts->rows));
    metrics_.bytes.Add(static_cast<double>(counts->bytes));
    metrics_.reads.Add(static_cast<double>(counts->reads));
    metrics_.waits.Add(static_cast<double>(counts->waits));
  } else if (!absl::IsCancelled(counts.status())) {
    metrics_.errors.Add();
  }
  bool over = false;
  {
    MutexLock lock(mutex_);
    --in_flight_;
    --request->in_flight;
    if (!counts.ok()) DropLocked(request, counts.status());
    over = ClaimAnswer(request);
    Dispatch();
  }
  if (over) Answer(request);
}

void RowQueue::Drop(const RequestPtr& request, absl::Status why) {
  bool over = false;
  {
    MutexLock lock(mutex_);
    DropLocked(request, std::move(why));
    over = ClaimAnswer(request);
  }
  if (over) Answer(request);
}

void RowQueue::DropLocked(const RequestPtr& request, absl::Status why) {
  if (request->status.ok()) request->status = std::move(why);
  request->next = request->order.size();
  std::erase(waiting_, request);
}

bool RowQueue::ClaimAnswer(const RequestPtr& request) {
  return request->over() && !std::exchange(request->answered, true);
}

void RowQueue::Answer(const RequestPtr& request) {
  metrics_.waiting.Add(-1);
  metrics_.seconds.Observe(
      absl::ToDoubleSeconds(request->strand->Now() - request->began));
  request->strand->CancelTimer(request->timer);
  request->read.hold.reset();
  request->strand->Post(
      [done = std::move(request->done), status = request->status]() mutable {
        done(std::move(status));
      });
}

void RowQueue::Stop() {
  std::vector<RequestPtr> over;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    for (const RequestPtr& request : std::exchange(waiting_, {})) {
      DropLocked(request, absl::CancelledError("this server stops"));
      if (ClaimAnswer(request)) over.push_back(request);
    }
  }
  for (const RequestPtr& request : over) Answer(request);
}

}  // namespace tributary
