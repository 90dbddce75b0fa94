#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/async_lock.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"
#include "sampler_server/tensors/payload_rows.h"
#include "sampler_server/tensors/row_calls.h"
#include "sampler_server/tensors/table_steps.h"
#include "sampler_server/tensors/values/row_values.h"

namespace tributary::tensor_internal {
namespace {

// What WriteRows and ImportRows share: checks, then the rank's turn, then the
// rows.
class NumberedWrite : public SteppedCall {
 public:
  NumberedWrite(CallPtr call, AttemptPtr attempt, uint32_t rank,
                uint64_t sequence, uint64_t oldest_open, uint64_t timeout_ms)
      : SteppedCall(std::move(call)),
        attempt_(std::move(attempt)),
        log_(attempt_->log(rank)),
        sequence_(sequence),
        oldest_open_(oldest_open),
        timeout_ms_(timeout_ms) {}

 protected:
  // Finds and checks what can be without the rows; sets table() and places().
  virtual absl::Status Begin() = 0;
  // Its rows are checked; they are to be written.
  virtual absl::Status BeginWrite(std::vector<uint64_t> rows) = 0;
  // Returns whether all rows are written.
  virtual bool WriteSome(WorkSlice& slice) = 0;
  virtual CallAnswer Reply() = 0;

  absl::Status FindTable(const std::string& name) {
    ASSIGN_OR_RETURN(table_, attempt_->Find(name));
    return absl::OkStatus();
  }
  absl::Status BeginPlaces(uint64_t num_rows, size_t bytes_per_row) {
    const size_t most_rows = call().payload().size() / sizeof(uint64_t);
    ASSIGN_OR_RETURN(scratch_,
                     call().data.working->TryTake(most_rows * kScratchPerRow));
    ASSIGN_OR_RETURN(places_, PayloadRows::Begin(table_, call().payload(),
                                                 num_rows, bytes_per_row));
    num_rows_ = num_rows;
    return absl::OkStatus();
  }
  const std::shared_ptr<TensorTable>& table() const { return table_; }
  // The bytes behind the row numbers.
  const uint8_t* values() const {
    return call().payload().data() + num_rows_ * sizeof(uint64_t);
  }
  uint32_t open_round() const { return attempt_->open_round(); }

 private:
  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    if (writes_) return Write(slice);
    RETURN_IF_ERROR(call().CheckGoesOn(*attempt_, timeout_ms_));
    if (!places_.has_value()) RETURN_IF_ERROR(Begin());
    ASSIGN_OR_RETURN(const bool checked, places_->Step(slice));
    if (!checked) return Progress::kMore;
    if (turn_ == nullptr) turn_ = log_.turn().TryTake();
    if (turn_ == nullptr) return WaitForTurn();
    return InTurn();
  }

  Progress WaitForTurn() {
    log_.turn().Take([this, self = shared_from_this()](AsyncLock::Hold turn) {
      turn_ = std::move(turn);
      Continue();
    });
    return Progress::kWaits;
  }

  absl::StatusOr<Progress> InTurn() {
    ASSIGN_OR_RETURN(work_, attempt_->Begin());
    ASSIGN_OR_RETURN(const bool is_new, log_.IsNew(sequence_, oldest_open_));
    if (!is_new) return Finish(Reply());
    RETURN_IF_ERROR(BeginWrite(places_->Take()));
    CountPush(call(), num_rows_);
    writes_ = true;
    return Progress::kMore;
  }

  absl::StatusOr<Progress> Write(WorkSlice& slice) {
    if (!WriteSome(slice)) return Progress::kMore;
    log_.Record(sequence_);
    turn_ = nullptr;
    work_ = nullptr;
    return Finish(Reply());
  }

  const AttemptPtr attempt_;
  WriteLog& log_;
  const uint64_t sequence_;
  const uint64_t oldest_open_;
  const uint64_t timeout_ms_;
  std::shared_ptr<TensorTable> table_;
  BudgetShare::Hold scratch_;
  std::optional<PayloadRows> places_;
  size_t num_rows_ = 0;
  bool writes_ = false;
  // Let go in the reverse order: a later write of the rank may begin before the
  // attempt is over, but not a later attempt.
  std::shared_ptr<const void> work_;
  AsyncLock::Hold turn_;
};

class WriteCall final : public NumberedWrite {
 public:
  WriteCall(CallPtr call, AttemptPtr attempt, v1::WriteRowsRequest request)
      : NumberedWrite(std::move(call), std::move(attempt),
                      request.attempt().rank(), request.sequence(),
                      request.oldest_open(), request.timeout_ms()),
        request_(std::move(request)) {}

 private:
  absl::Status Begin() override {
    RETURN_IF_ERROR(FaultPoint("tensors.write"));
    RETURN_IF_ERROR(FindTable(request_.name()));
    const TensorShape& shape = table()->shape();
    if (request_.op() == v1::WRITE_ADD) {
      RETURN_IF_ERROR(CheckAddable(shape.dtype));
    } else if (request_.op() != v1::WRITE_SET) {
      return absl::InvalidArgumentError(
          absl::StrCat("a write of kind ", static_cast<int>(request_.op()),
                       "; allowed: set (0), add (1)"));
    }
    ASSIGN_OR_RETURN(initial_,
                     call().data.working->TryTake(TableWrite::ScratchBytes(
                         *table(), request_.num_rows(), adds())));
    return BeginPlaces(request_.num_rows(), shape.row_bytes());
  }
  absl::Status BeginWrite(std::vector<uint64_t> rows) override {
    write_.emplace(table(), std::move(rows), values(), adds(), open_round());
    return absl::OkStatus();
  }
  bool WriteSome(WorkSlice& slice) override { return write_->Step(slice); }
  CallAnswer Reply() override {
    v1::WriteRowsReply reply;
    reply.set_draining(call().store().draining());
    return HeaderAnswer(call().data.call.kind, reply);
  }
  bool adds() const { return request_.op() == v1::WRITE_ADD; }

  const v1::WriteRowsRequest request_;
  BudgetShare::Hold initial_;  // memory for initial values
  std::optional<TableWrite> write_;
};

class ImportCall final : public NumberedWrite {
 public:
  ImportCall(CallPtr call, AttemptPtr attempt, v1::ImportRowsRequest request)
      : NumberedWrite(std::move(call), std::move(attempt),
                      request.attempt().rank(), request.sequence(),
                      request.oldest_open(), request.timeout_ms()),
        request_(std::move(request)) {}

 private:
  absl::Status Begin() override {
    RETURN_IF_ERROR(FindTable(request_.name()));
    state_ = StateOf(*table(), request_.with_state());
    return BeginPlaces(request_.num_rows(),
                       table()->ExportRowBytes(state_) - sizeof(uint64_t));
  }
  absl::Status BeginWrite(std::vector<uint64_t> rows) override {
    rows_ = std::move(rows);
    round_ = open_round();
    return table()->CheckImport(rows_, state_, values());
  }
  bool WriteSome(WorkSlice& slice) override {
    if (next_ == rows_.size()) return true;
    const uint64_t work =
        2 * table()->work_per_row() + table()->ExportRowBytes(state_) / 4;
    const size_t count = slice.Fitting(rows_.size() - next_, work);
    table()->Import(rows_, next_, next_ + count, state_, values(), round_);
    slice.Spend(count * work);
    next_ += count;
    return next_ == rows_.size();
  }
  CallAnswer Reply() override {
    return HeaderAnswer(call().data.call.kind, v1::ImportRowsReply());
  }

  const v1::ImportRowsRequest request_;
  OptimizerKind state_ = OptimizerKind::kNone;
  std::vector<uint64_t> rows_;
  uint32_t round_ = 0;
  size_t next_ = 0;
};

}  // namespace

std::shared_ptr<SteppedCall> WriteRows(CallPtr call, AttemptPtr attempt,
                                       v1::WriteRowsRequest request) {
  return std::make_shared<WriteCall>(std::move(call), std::move(attempt),
                                     std::move(request));
}

std::shared_ptr<SteppedCall> ImportRows(CallPtr call, AttemptPtr attempt,
                                        v1::ImportRowsRequest request) {
  return std::make_shared<ImportCall>(std::move(call), std::move(attempt),
                                      std::move(request));
}

}  // namespace tributary::tensor_internal
