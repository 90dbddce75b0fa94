#include "trainer_client/tensors/gradient_rounds.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/text/status.h"
#include "trainer_client/tensors/row_cut.h"

namespace tributary {
namespace {

constexpr size_t kMaxBytesOnTheWay = size_t{64} << 20;
// Keeps the header of a part far below the envelope's limit.
constexpr int kMaxPushesOfPart = 1000;

struct Nothing {};

// The part of the running round that is collected for one member.
struct Part {
  v1::PushRoundRequest request;
  std::vector<uint8_t> payload;
};

// The parts that are on their way; on the strand, but for what is said.
class Sender : public std::enable_shared_from_this<Sender> {
 public:
  explicit Sender(std::shared_ptr<TensorClient> client)
      : client_(std::move(client)) {}

  // Any thread.
  void Send(uint32_t member, Part part) {
    client_->strand().Post(
        [self = shared_from_this(), member, part = std::move(part)]() mutable {
          self->Start(member, std::move(part));
        });
  }
  // Waits until at most `bytes` are on their way, which counts a part without
  // payload as one; returns the first error of all parts.
  absl::Status WaitUntilAtMost(size_t bytes) {
    return client_
        ->Await<Nothing>([self = shared_from_this(),
                          bytes](TensorClient::Callback<Nothing> done) {
          self->limit_ = bytes;
          self->waiting_ = std::move(done);
          self->Wake();
        })
        .status();
  }

 private:
  void Start(uint32_t member, Part part) {
    auto payload =
        std::make_shared<const std::vector<uint8_t>>(std::move(part.payload));
    const size_t bytes = payload->size() + 1;
    bytes_ += bytes;
    client_->Call(member,
                  {.kind = MessageKind::kPushRoundRequest,
                   .reply = MessageKind::kPushRoundReply,
                   .header = part.request.SerializeAsString(),
                   .payload = *payload,
                   .payload_owner = payload,
                   .deadline = client_->Deadline(),
                   .may_wait_for_ranks = true},
                  [self = shared_from_this(),
                   bytes](const absl::StatusOr<CallReply>& reply) {
                    self->bytes_ -= bytes;
                    self->status_.Update(self->Take(reply));
                    self->Wake();
                  });
  }
  absl::Status Take(const absl::StatusOr<CallReply>& reply) {
    RETURN_IF_ERROR(reply.status());
    ASSIGN_OR_RETURN(const auto told, ParseReplyHeader<v1::PushRoundReply>(
                                          reply->kind, reply->header));
    client_->NoteDraining(told.draining());
    return absl::OkStatus();
  }
  void Wake() {
    if (!waiting_ || (status_.ok() && bytes_ > limit_)) return;
    auto waiting = std::exchange(waiting_, nullptr);
    if (!status_.ok()) return waiting(status_);
    waiting(Nothing());
  }

  const std::shared_ptr<TensorClient> client_;
  size_t bytes_ = 0;
  absl::Status status_;
  size_t limit_ = 0;
  TensorClient::Callback<Nothing> waiting_;
};

absl::Status CheckPush(const TensorInfo& tensor, absl::Span<const int64_t> rows,
                       absl::Span<const float> gradients,
                       const SparseStepOptions& step) {
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("gradients of tensor '", tensor.spec.name(), "': ", what));
  };
  if (tensor.optimizer == v1::SPARSE_NONE) {
    return absl::FailedPreconditionError(
        absl::StrCat("tensor '", tensor.spec.name(),
                     "' has no optimizer: call AttachOptimizer first"));
  }
  if (gradients.size() != rows.size() * tensor.width) {
    return refuse(absl::StrCat(gradients.size(), " values for ", rows.size(),
                               " rows of ", tensor.width));
  }
  for (const double value :
       {step.learning_rate, step.eps, step.beta1, step.beta2, step.scale}) {
    if (!std::isfinite(value)) return refuse("the step is not finite");
  }
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] > rows[i - 1]) continue;
    return refuse(absl::StrCat("row ", rows[i], " follows row ", rows[i - 1],
                               "; rows must be distinct and ascending"));
  }
  return CheckRows(tensor, rows);
}

v1::SparseStep ToProto(const SparseStepOptions& step) {
  v1::SparseStep proto;
  proto.set_learning_rate(step.learning_rate);
  proto.set_eps(step.eps);
  proto.set_beta1(step.beta1);
  proto.set_beta2(step.beta2);
  proto.set_scale(step.scale);
  return proto;
}

template <typename T>
void Append(std::vector<uint8_t>& bytes, const T* values, size_t count) {
  const auto* data = reinterpret_cast<const uint8_t*>(values);
  bytes.insert(bytes.end(), data, data + count * sizeof(T));
}

class Rounds final : public GradientRounds {
 public:
  explicit Rounds(std::shared_ptr<TensorClient> client)
      : client_(std::move(client)),
        sender_(std::make_shared<Sender>(client_)),
        parts_(client_->members().size()),
        num_parts_(client_->members().size()) {}

  absl::Status Push(DistTensor& tensor, uint32_t place,
                    absl::Span<const int64_t> rows,
                    absl::Span<const float> gradients,
                    const SparseStepOptions& step) override;
  absl::Status Close() override;
  uint64_t closed() const override { return client_->closed_rounds(); }

 private:
  void AddPiece(const MemberPiece& piece,
                const v1::PushRoundRequest::Push& push,
                absl::Span<const int64_t> rows, const float* gradients,
                size_t width);
  void SendPart(uint32_t member, bool closes);

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<Sender> sender_;
  std::vector<Part> parts_;          // by member
  std::vector<uint32_t> num_parts_;  // sent in this round, by member
};

absl::Status Rounds::Push(DistTensor& tensor, uint32_t place,
                          absl::Span<const int64_t> rows,
                          absl::Span<const float> gradients,
                          const SparseStepOptions& step) {
  const auto info = client_->Find(tensor.name());
  if (info == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("tensor '", tensor.name(), "' was dropped"));
  }
  RETURN_IF_ERROR(CheckPush(*info, rows, gradients, step));
  v1::PushRoundRequest::Push push;
  push.set_name(tensor.name());
  push.set_place(place);
  *push.mutable_step() = ToProto(step);
  const size_t bytes_per_row = sizeof(uint64_t) + info->width * sizeof(float);
  for (const MemberPiece& piece : CutByMember(*info, rows, bytes_per_row)) {
    AddPiece(piece, push, rows, gradients.data(), info->width);
  }
  return sender_->WaitUntilAtMost(kMaxBytesOnTheWay);
}

void Rounds::AddPiece(const MemberPiece& piece,
                      const v1::PushRoundRequest::Push& push,
                      absl::Span<const int64_t> rows, const float* gradients,
                      size_t width) {
  const size_t bytes =
      piece.positions.size() * (sizeof(uint64_t) + width * sizeof(float));
  const Part& open = parts_[piece.member];
  if (!open.payload.empty() &&
      (open.payload.size() + bytes > kPieceBytes ||
       open.request.pushes_size() >= kMaxPushesOfPart)) {
    SendPart(piece.member, /*closes=*/false);
  }
  Part& part = parts_[piece.member];
  *part.request.add_pushes() = push;
  part.request.mutable_pushes()->rbegin()->set_num_rows(piece.positions.size());
  part.payload.reserve(part.payload.size() + bytes);
  for (const uint32_t i : piece.positions) Append(part.payload, &rows[i], 1);
  for (const uint32_t i : piece.positions) {
    Append(part.payload, gradients + i * width, width);
  }
}

void Rounds::SendPart(uint32_t member, bool closes) {
  Part part = std::exchange(parts_[member], {});
  *part.request.mutable_attempt() = client_->ref();
  part.request.set_round(closed() + 1);
  part.request.set_part(num_parts_[member]++);
  part.request.set_closes(closes);
  sender_->Send(member, std::move(part));
}

// The part that closes a round comes after all others of the round.
absl::Status Rounds::Close() {
  RETURN_IF_ERROR(sender_->WaitUntilAtMost(0));
  for (uint32_t m = 0; m < parts_.size(); ++m) SendPart(m, /*closes=*/true);
  RETURN_IF_ERROR(sender_->WaitUntilAtMost(0));
  client_->set_closed_rounds(closed() + 1);
  num_parts_.assign(num_parts_.size(), 0);
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<GradientRounds> MakeGradientRounds(
    std::shared_ptr<TensorClient> client) {
  return std::make_unique<Rounds>(std::move(client));
}

absl::Status CheckFinite(const DistTensor& tensor,
                         absl::Span<const int64_t> rows,
                         absl::Span<const float> gradients) {
  const auto at = std::find_if(gradients.begin(), gradients.end(),
                               [](float g) { return !std::isfinite(g); });
  if (at == gradients.end()) return absl::OkStatus();
  const auto place = static_cast<size_t>(at - gradients.begin());
  return absl::OutOfRangeError(
      absl::StrCat("the gradient of row ", rows[place / tensor.width()], " of ",
                   tensor.name(), " is ", *at));
}

}  // namespace tributary
