#include "sampler_server/tensors/row_calls.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/row_places.h"
#include "sampler_server/tensors/row_values.h"
#include "sampler_server/tensors/table_steps.h"

namespace tributary::tensor_internal {
namespace {

// Bytes that a call uses for each row beside the payload: its place, and its
// position by lock.
constexpr size_t kScratchPerRow = sizeof(uint64_t) + sizeof(uint32_t);

absl::Status CheckReplyBytes(size_t bytes, uint64_t max_reply_bytes) {
  const uint64_t limit = std::min<uint64_t>(max_reply_bytes, kMaxPayloadBytes);
  if (bytes <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a reply of ", bytes, " bytes; the call allows ", limit,
                   ": ask for fewer rows at a time"));
}

// Returns whose state an export has.
OptimizerKind StateOf(const TensorTable& table, bool with_state) {
  return with_state ? table.optimizer() : OptimizerKind::kNone;
}

class ReadCall final : public SteppedCall {
 public:
  ReadCall(CallPtr call, AttemptPtr attempt, v1::ReadRowsRequest request)
      : SteppedCall(std::move(call)),
        attempt_(std::move(attempt)),
        request_(std::move(request)) {}

 private:
  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    RETURN_IF_ERROR(call().CheckGoesOn(*attempt_, request_.timeout_ms()));
    if (!places_.has_value()) RETURN_IF_ERROR(Begin());
    if (!read_.has_value()) {
      ASSIGN_OR_RETURN(const bool checked, places_->Step(slice));
      if (!checked) return Progress::kMore;
      RETURN_IF_ERROR(BeginRead());
      return Progress::kMore;
    }
    return read_->Step(slice) ? Finish(Reply()) : Progress::kMore;
  }

  absl::Status Begin() {
    RETURN_IF_ERROR(FaultPoint("tensors.read"));
    ASSIGN_OR_RETURN(work_, attempt_->Begin());
    ASSIGN_OR_RETURN(table_, attempt_->Find(request_.name()));
    num_rows_ = call().payload().size() / sizeof(uint64_t);
    ASSIGN_OR_RETURN(scratch_,
                     call().data.working->TryTake(num_rows_ * kScratchPerRow));
    ASSIGN_OR_RETURN(places_, RowPlaces::Begin(table_, call().payload(),
                                               request_.num_rows(), 0));
    return absl::OkStatus();
  }

  absl::Status BeginRead() {
    const bool changed = request_.changed_since() > 0;
    bits_ = changed ? AlignUp((num_rows_ + 7) / 8, 8) : 0;
    const size_t bytes = bits_ + num_rows_ * table_->shape().row_bytes();
    RETURN_IF_ERROR(CheckReplyBytes(bytes, request_.max_reply_bytes()));
    ASSIGN_OR_RETURN(room_, ReplyRoom::Make(call().data, bytes));
    // Before the first row is read: a row of a later round is only newer.
    reply_.set_round(attempt_->rounds().applied());
    const auto payload = room_.payload.span();
    std::fill_n(payload.data(), bits_, uint8_t{0});
    if (changed) {
      read_.emplace(table_, places_->Take(), request_.changed_since(),
                    payload.first(bits_), payload.data() + bits_);
    } else {
      read_.emplace(table_, places_->Take(), payload.data());
    }
    return absl::OkStatus();
  }

  CallAnswer Reply() {
    const size_t bytes =
        bits_ + read_->num_copied() * table_->shape().row_bytes();
    reply_.set_draining(call().store().draining());
    const TensorMetrics& metrics = call().calls.metrics;
    Counter(metrics.pulls).Add();
    Counter(metrics.pulled_rows).Add(static_cast<double>(num_rows_));
    Counter(metrics.pulled_bytes).Add(static_cast<double>(bytes));
    return ReplyRoom::Answer(MessageKind::kReadRowsReply,
                             reply_.SerializeAsString(), std::move(room_),
                             bytes);
  }

  const AttemptPtr attempt_;
  const v1::ReadRowsRequest request_;
  std::shared_ptr<const void> work_;
  std::shared_ptr<TensorTable> table_;
  size_t num_rows_ = 0;
  BudgetShare::Hold scratch_;
  std::optional<RowPlaces> places_;
  size_t bits_ = 0;  // bytes of them
  ReplyRoom room_;
  v1::ReadRowsReply reply_;
  std::optional<TableRead> read_;
};

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
    ASSIGN_OR_RETURN(places_, RowPlaces::Begin(table_, call().payload(),
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
    log_.turn().Take(
        [this, self = shared_from_this()](AsyncLock::Hold turn) {
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
  std::optional<RowPlaces> places_;
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
    const uint64_t work = 2 * table()->work_per_row() +
                          table()->ExportRowBytes(state_) / 4;
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

class ExportCall final : public SteppedCall {
 public:
  ExportCall(CallPtr call, AttemptPtr attempt, v1::ExportRowsRequest request)
      : SteppedCall(std::move(call)),
        attempt_(std::move(attempt)),
        request_(std::move(request)) {}

 private:
  // Blocks of rows that one page looks at, and the work of one.
  static constexpr uint64_t kMostBlocks = uint64_t{1} << 20;
  static constexpr uint64_t kWorkPerBlock = 40;

  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    RETURN_IF_ERROR(call().CheckGoesOn(*attempt_, request_.timeout_ms()));
    if (table_ == nullptr) RETURN_IF_ERROR(Begin());
    if (!found_) {
      FindRows(slice);
      if (found_) RETURN_IF_ERROR(MakeRoom());
      return Progress::kMore;
    }
    if (next_ == rows_.size()) return Finish(Reply());
    const uint64_t work = 2 * table_->work_per_row() + each_ / 4;
    const size_t count = slice.Fitting(rows_.size() - next_, work);
    table_->Export(rows_, next_, next_ + count, state_, room_.payload.data());
    slice.Spend(count * work);
    next_ += count;
    return Progress::kMore;
  }

  absl::Status Begin() {
    ASSIGN_OR_RETURN(work_, attempt_->Begin());
    ASSIGN_OR_RETURN(table_, attempt_->Find(request_.name()));
    state_ = StateOf(*table_, request_.with_state());
    each_ = table_->ExportRowBytes(state_);
    RETURN_IF_ERROR(CheckReplyBytes(each_, request_.max_reply_bytes()));
    most_ = std::min<uint64_t>(request_.max_reply_bytes(), kMaxPayloadBytes) /
            each_;
    ASSIGN_OR_RETURN(scratch_,
                     call().data.working->TryTake(most_ * kScratchPerRow));
    cursor_ = std::min(request_.cursor(), table_->local_rows());
    return absl::OkStatus();
  }

  // Looks for rows that were written, until there are enough of them.
  void FindRows(WorkSlice& slice) {
    const uint64_t blocks =
        slice.Fitting(kMostBlocks - blocks_, kWorkPerBlock);
    const auto rows =
        table_->WrittenFrom(&cursor_, most_ - rows_.size(), blocks);
    slice.Spend(blocks * kWorkPerBlock + rows.size() * kWorkPerBlock / 8);
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    blocks_ += blocks;
    found_ = rows_.size() == most_ || blocks_ == kMostBlocks ||
             cursor_ >= table_->local_rows();
  }

  absl::Status MakeRoom() {
    ASSIGN_OR_RETURN(room_, ReplyRoom::Make(call().data, rows_.size() * each_));
    return absl::OkStatus();
  }

  CallAnswer Reply() {
    v1::ExportRowsReply reply;
    reply.set_num_rows(rows_.size());
    reply.set_next_cursor(cursor_);
    reply.set_done(cursor_ >= table_->local_rows());
    const size_t bytes = room_.payload.size();
    return ReplyRoom::Answer(MessageKind::kExportRowsReply,
                             reply.SerializeAsString(), std::move(room_),
                             bytes);
  }

  const AttemptPtr attempt_;
  const v1::ExportRowsRequest request_;
  std::shared_ptr<const void> work_;
  std::shared_ptr<TensorTable> table_;
  OptimizerKind state_ = OptimizerKind::kNone;
  size_t each_ = 0;  // bytes of a row
  size_t most_ = 0;  // rows of the page
  BudgetShare::Hold scratch_;
  uint64_t cursor_ = 0;
  uint64_t blocks_ = 0;  // looked at
  bool found_ = false;
  std::vector<uint64_t> rows_;
  ReplyRoom room_;
  size_t next_ = 0;
};

class CopyCall final : public SteppedCall {
 public:
  CopyCall(CallPtr call, AttemptPtr attempt, v1::CopyTensorRequest request)
      : SteppedCall(std::move(call)),
        attempt_(std::move(attempt)),
        request_(std::move(request)) {}

 private:
  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    RETURN_IF_ERROR(call().CheckGoesOn(*attempt_, request_.timeout_ms()));
    if (!copy_.has_value()) RETURN_IF_ERROR(Begin());
    if (!copy_->Step(slice)) return Progress::kMore;
    return Finish(
        HeaderAnswer(call().data.call.kind, v1::CopyTensorReply()));
  }

  absl::Status Begin() {
    ASSIGN_OR_RETURN(work_, attempt_->Begin());
    ASSIGN_OR_RETURN(const auto from, attempt_->Find(request_.from()));
    ASSIGN_OR_RETURN(const auto to, attempt_->Find(request_.to()));
    const TensorShape& a = from->shape();
    const TensorShape& b = to->shape();
    if (a.num_rows != b.num_rows || a.dim != b.dim || a.dtype != b.dtype ||
        from->placement().members() != to->placement().members()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensors '", TerminalLine(a.name), "' and '", TerminalLine(b.name),
          "' have not the same shape, dtype and servers"));
    }
    ASSIGN_OR_RETURN(scratch_, call().data.working->TryTake(
                                   TableCopy::ScratchBytes(*from)));
    copy_.emplace(from, to, attempt_->open_round());
    return absl::OkStatus();
  }

  const AttemptPtr attempt_;
  const v1::CopyTensorRequest request_;
  std::shared_ptr<const void> work_;
  BudgetShare::Hold scratch_;
  std::optional<TableCopy> copy_;
};

}  // namespace

std::shared_ptr<SteppedCall> ReadRows(CallPtr call, AttemptPtr attempt,
                                      v1::ReadRowsRequest request) {
  return std::make_shared<ReadCall>(std::move(call), std::move(attempt),
                                    std::move(request));
}

std::shared_ptr<SteppedCall> WriteRows(CallPtr call, AttemptPtr attempt,
                                       v1::WriteRowsRequest request) {
  return std::make_shared<WriteCall>(std::move(call), std::move(attempt),
                                     std::move(request));
}

std::shared_ptr<SteppedCall> ExportRows(CallPtr call, AttemptPtr attempt,
                                        v1::ExportRowsRequest request) {
  return std::make_shared<ExportCall>(std::move(call), std::move(attempt),
                                      std::move(request));
}

std::shared_ptr<SteppedCall> ImportRows(CallPtr call, AttemptPtr attempt,
                                        v1::ImportRowsRequest request) {
  return std::make_shared<ImportCall>(std::move(call), std::move(attempt),
                                      std::move(request));
}

std::shared_ptr<SteppedCall> CopyTensor(CallPtr call, AttemptPtr attempt,
                                        v1::CopyTensorRequest request) {
  return std::make_shared<CopyCall>(std::move(call), std::move(attempt),
                                    std::move(request));
}

}  // namespace tributary::tensor_internal
