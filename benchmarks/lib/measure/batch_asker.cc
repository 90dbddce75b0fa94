#include "benchmarks/lib/measure/batch_asker.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmarks/lib/measure/batch_filler.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr std::chrono::seconds kTimeout(60);

class LentPart final : public SharedRoom {
 public:
  explicit LentPart(absl::Span<uint8_t> bytes) : bytes_(bytes) {}
  absl::Span<uint8_t> bytes() override { return bytes_; }

 private:
  const absl::Span<uint8_t> bytes_;
};

}  // namespace

void BatchAsker::Start(std::shared_ptr<Stream> stream) {
  MutexLock lock(mutex_);
  if (ended_.ok()) stream_ = std::move(stream);
}

absl::Status BatchAsker::Check(const BatchesAsked& asked) const {
  const size_t parts =
      asked.bytes < sizeof(BatchStamp) ? 0 : memory_.size() / asked.bytes;
  if (asked.batches >= 1 && asked.ahead >= 1 &&
      static_cast<size_t>(asked.ahead) <= parts) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(asked.batches, " batches of ", asked.bytes, " bytes, ",
                   asked.ahead, " at once, in ", memory_.size()));
}

absl::StatusOr<BatchesArrived> BatchAsker::Receive(const BatchesAsked& asked) {
  RETURN_IF_ERROR(Check(asked));
  std::shared_ptr<Stream> stream;
  std::vector<OutgoingMessage> credits;
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(ended_);
    stream = stream_;
    asked_ = asked;
    first_grant_ = next_grant_;
    handover_ns_.clear();
    handover_ns_.reserve(static_cast<size_t>(asked.batches));
    for (int i = 0; i < std::min(asked.ahead, asked.batches); ++i) {
      credits.push_back(*NextCredit());
    }
  }
  const auto start = std::chrono::steady_clock::now();
  // If a Send fails, here and below, OnClosed reports the cause.
  for (OutgoingMessage& credit : credits) {
    (void)stream->Send(std::move(credit));
  }
  MutexLock lock(mutex_);
  while (ended_.ok() && !AllArrived()) {
    if (!changed_.WaitUntil(mutex_, start + kTimeout)) {
      return absl::DeadlineExceededError("batches did not come in time");
    }
  }
  RETURN_IF_ERROR(ended_);
  const auto now = std::chrono::steady_clock::now();
  return BatchesArrived{std::chrono::duration<double>(now - start).count(),
                        std::move(handover_ns_)};
}

bool BatchAsker::AllArrived() const {
  return handover_ns_.size() == static_cast<size_t>(asked_.batches);
}

std::optional<OutgoingMessage> BatchAsker::NextCredit() {
  if (next_grant_ - first_grant_ == static_cast<uint64_t>(asked_.batches)) {
    return std::nullopt;
  }
  const uint64_t grant = next_grant_++;
  v1::Credit credit;
  credit.set_grant(grant);
  credit.set_max_bytes(asked_.bytes);
  OutgoingMessage message;
  message.kind = MessageKind::kCredit;
  message.header = credit.SerializeAsString();
  if (lend_) message.room = std::make_shared<LentPart>(PartOf(grant));
  return message;
}

absl::Span<uint8_t> BatchAsker::PartOf(uint64_t grant) const {
  const size_t part = grant % (memory_.size() / asked_.bytes);
  return memory_.subspan(part * asked_.bytes, asked_.bytes);
}

bool BatchAsker::IsOpen(uint64_t grant) const {
  return grant >= first_grant_ && grant < next_grant_;
}

void BatchAsker::OnMessage(IncomingMessage& message) {
  std::shared_ptr<Stream> stream;
  std::optional<OutgoingMessage> credit;
  absl::Status status;
  {
    MutexLock lock(mutex_);
    const absl::StatusOr<uint64_t> grant = Take(message);
    status = grant.status();
    if (grant.ok() && *grant == 0) return;
    if (status.ok()) status = Arrived(*grant);
    if (status.ok()) credit = NextCredit();
    stream = stream_;
    if (AllArrived()) changed_.NotifyAll();
  }
  if (!status.ok()) return End(std::move(status));
  if (credit && stream != nullptr) (void)stream->Send(*std::move(credit));
}

absl::StatusOr<uint64_t> BatchAsker::Take(IncomingMessage& message) {
  if (message.kind() == MessageKind::kFrame) return TakeFrame(message);
  if (message.kind() != MessageKind::kReady) {
    return absl::DataLossError(absl::StrCat(MessageKindName(message.kind()),
                                            " came in a batch's place"));
  }
  ASSIGN_OR_RETURN(const auto ready, ParseHeader<v1::Ready>(message));
  if (IsOpen(ready.grant()) && ready.total() == asked_.bytes) {
    return ready.grant();
  }
  return absl::DataLossError("a batch came that was not asked for");
}

absl::StatusOr<uint64_t> BatchAsker::TakeFrame(IncomingMessage& message) {
  ASSIGN_OR_RETURN(const auto frame, ParseHeader<v1::Frame>(message));
  if (!IsOpen(frame.grant()) || frame.total() != asked_.bytes) {
    return absl::DataLossError("a frame came that was not asked for");
  }
  FrameAssembler& assembler =
      assemblers_.try_emplace(frame.grant(), PartOf(frame.grant()))
          .first->second;
  RETURN_IF_ERROR(assembler.Add(frame.offset(), frame.total(), message));
  if (!assembler.complete()) return 0;
  assemblers_.erase(frame.grant());
  return frame.grant();
}

absl::Status BatchAsker::Arrived(uint64_t grant) {
  const int64_t now = MonotonicNs();
  BatchStamp stamp;
  std::memcpy(&stamp, PartOf(grant).data(), sizeof(stamp));
  if (stamp.grant != grant) {
    return absl::DataLossError(
        absl::StrCat("batch ", grant, " came with the stamp of ", stamp.grant));
  }
  handover_ns_.push_back(now - stamp.filled_ns);
  return absl::OkStatus();
}

void BatchAsker::OnClosed(const absl::Status& why) {
  End(why.ok() ? absl::UnavailableError("closed") : why);
}

void BatchAsker::End(absl::Status why) {
  std::shared_ptr<Stream> stream;  // destroyed without the lock
  MutexLock lock(mutex_);
  if (ended_.ok()) ended_ = std::move(why);
  stream.swap(stream_);
  changed_.NotifyAll();
}

}  // namespace tributary
