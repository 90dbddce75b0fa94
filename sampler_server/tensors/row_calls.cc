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
#include "sampler_server/tensors/payload_rows.h"
#include "sampler_server/tensors/table_steps.h"

namespace tributary::tensor_internal {
namespace {

absl::Status CheckReplyBytes(size_t bytes, uint64_t max_reply_bytes) {
  const uint64_t limit = std::min<uint64_t>(max_reply_bytes, kMaxPayloadBytes);
  if (bytes <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a reply of ", bytes, " bytes; the call allows ", limit,
                   ": ask for fewer rows at a time"));
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
    ASSIGN_OR_RETURN(places_, PayloadRows::Begin(table_, call().payload(),
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
  std::optional<PayloadRows> places_;
  size_t bits_ = 0;  // bytes of them
  ReplyRoom room_;
  v1::ReadRowsReply reply_;
  std::optional<TableRead> read_;
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
    const uint64_t blocks = slice.Fitting(kMostBlocks - blocks_, kWorkPerBlock);
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
    return Finish(HeaderAnswer(call().data.call.kind, v1::CopyTensorReply()));
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
    ASSIGN_OR_RETURN(
        scratch_, call().data.working->TryTake(TableCopy::ScratchBytes(*from)));
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

std::shared_ptr<SteppedCall> ExportRows(CallPtr call, AttemptPtr attempt,
                                        v1::ExportRowsRequest request) {
  return std::make_shared<ExportCall>(std::move(call), std::move(attempt),
                                      std::move(request));
}

std::shared_ptr<SteppedCall> CopyTensor(CallPtr call, AttemptPtr attempt,
                                        v1::CopyTensorRequest request) {
  return std::make_shared<CopyCall>(std::move(call), std::move(attempt),
                                    std::move(request));
}

}  // namespace tributary::tensor_internal
