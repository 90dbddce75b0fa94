#include "trainer_client/tensors/dist_tensor.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/row_cut.h"
#include "trainer_client/tensors/row_prefetch.h"
#include "trainer_client/tensors/row_read.h"
#include "trainer_client/tensors/row_write.h"
#include "trainer_client/tensors/tensor_client.h"
#include "trainer_client/tensors/tensor_creation.h"

namespace tributary {
namespace {

v1::SparseOptimizer ToProto(SparseOptimizerKind kind) {
  switch (kind) {
    case SparseOptimizerKind::kSgd:
      return v1::SPARSE_SGD;
    case SparseOptimizerKind::kAdagrad:
      return v1::SPARSE_ADAGRAD;
    case SparseOptimizerKind::kAdam:
      return v1::SPARSE_ADAM;
  }
  return v1::SPARSE_NONE;
}

class Tensor final : public DistTensor {
 public:
  Tensor(std::shared_ptr<TensorClient> client,
         std::shared_ptr<const TensorInfo> info, DistTensorOptions options)
      : client_(std::move(client)),
        info_(std::move(info)),
        options_(std::move(options)) {
    options_.num_rows = static_cast<int64_t>(info_->spec.num_rows());
  }

  const DistTensorOptions& options() const override { return options_; }

  absl::Status Read(absl::Span<const int64_t> rows,
                    absl::Span<uint8_t> out) override {
    RETURN_IF_ERROR(Check(rows, out.size()));
    return ReadRows(client_,
                    std::make_shared<DistRowRead>(client_, info_, rows), out);
  }
  std::unique_ptr<RowPrefetch> Prefetch(
      absl::Span<const int64_t> rows) override {
    if (!CheckRows(*info_, rows).ok()) return nullptr;  // Read refuses them
    return std::make_unique<StartedPrefetch>(client_, info_, rows);
  }
  absl::Status Read(absl::Span<const int64_t> rows, absl::Span<uint8_t> out,
                    std::unique_ptr<RowPrefetch> prefetch) override {
    auto* started = dynamic_cast<StartedPrefetch*>(prefetch.get());
    if (started == nullptr || !started->IsOf(*info_, rows)) {
      return Read(rows, out);
    }
    RETURN_IF_ERROR(Check(rows, out.size()));
    client_->NoteReadAhead(rows.size());
    return started->Take(out);
  }

  absl::Status Set(absl::Span<const int64_t> rows,
                   absl::Span<const uint8_t> values) override {
    return Write(RowWrite::Kind::kSet, rows, values);
  }
  absl::Status Add(absl::Span<const int64_t> rows,
                   absl::Span<const uint8_t> values) override {
    if (options_.dtype == DType::kBool) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor '", name(), "' is bool: rows cannot be added to it"));
    }
    return Write(RowWrite::Kind::kAdd, rows, values);
  }

  absl::Status AttachOptimizer(SparseOptimizerKind kind) override;
  absl::Status CopyFrom(DistTensor& other) override;
  absl::Status Drop() override;

 private:
  absl::Status Check(absl::Span<const int64_t> rows, size_t bytes) const {
    RETURN_IF_ERROR(CheckRows(*info_, rows));
    if (bytes == rows.size() * row_bytes()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", name(), "': ", bytes, " bytes for ",
                     rows.size(), " rows of ", row_bytes()));
  }
  absl::Status Write(RowWrite::Kind kind, absl::Span<const int64_t> rows,
                     absl::Span<const uint8_t> values) {
    RETURN_IF_ERROR(Check(rows, values.size()));
    auto write = std::make_shared<RowWrite>(
        client_, info_, kind, rows,
        std::vector<RowWrite::Column>{{values.data(), row_bytes()}});
    return client_
        ->Await<uint64_t>(
            [write](RowWrite::Done done) { write->Start(std::move(done)); })
        .status();
  }
  // Runs a collective whose members rank 0 calls with one request.
  absl::Status CallTogether(const std::string& what,
                            const absl::StatusOr<std::string>& mine,
                            MessageKind kind, MessageKind reply,
                            const google::protobuf::Message& request) {
    return RunTogether(*client_, what, mine,
                       [&](CollectiveProgress&) -> absl::StatusOr<std::string> {
                         RETURN_IF_ERROR(client_->CallMembers(
                             info_->member_of, kind, reply, request));
                         return std::string();
                       })
        .status();
  }

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<const TensorInfo> info_;
  DistTensorOptions options_;
};

absl::Status Tensor::AttachOptimizer(SparseOptimizerKind kind) {
  const v1::SparseOptimizer optimizer = ToProto(kind);
  const std::string text = v1::SparseOptimizer_Name(optimizer);
  absl::StatusOr<std::string> mine = text;
  if (options_.dtype != DType::kFloat32) {
    mine = absl::InvalidArgumentError(absl::StrCat(
        "tensor '", name(), "' is ", std::string(DTypeName(options_.dtype)),
        "; optimizers need float32"));
  }
  v1::AttachOptimizerRequest request;
  *request.mutable_attempt() = client_->ref();
  request.set_name(name());
  request.set_optimizer(optimizer);
  RETURN_IF_ERROR(
      CallTogether(absl::StrCat("attach an optimizer to '", name(), "'"), mine,
                   MessageKind::kAttachOptimizerRequest,
                   MessageKind::kAttachOptimizerReply, request));
  auto attached = std::make_shared<TensorInfo>(*info_);
  attached->optimizer = optimizer;
  client_->Put(std::move(attached));
  return absl::OkStatus();
}

absl::Status Tensor::CopyFrom(DistTensor& other) {
  const auto from = client_->Find(other.name());
  absl::StatusOr<std::string> mine = other.name();
  if (from == nullptr) {
    mine = absl::NotFoundError(
        absl::StrCat("tensor '", other.name(), "' was dropped"));
  } else if (from->spec.num_rows() != info_->spec.num_rows() ||
             from->spec.dim() != info_->spec.dim() ||
             from->dtype != info_->dtype ||
             from->member_of != info_->member_of) {
    mine = absl::InvalidArgumentError(
        absl::StrCat("tensor '", name(), "' cannot be copied from '",
                     other.name(), "': another shape, dtype or placement"));
  }
  v1::CopyTensorRequest request;
  *request.mutable_attempt() = client_->ref();
  request.set_from(other.name());
  request.set_to(name());
  request.set_after_round(client_->closed_rounds());
  request.set_timeout_ms(client_->ServerTimeoutMs());
  return CallTogether(absl::StrCat("copy to '", name(), "'"), mine,
                      MessageKind::kCopyTensorRequest,
                      MessageKind::kCopyTensorReply, request);
}

absl::Status Tensor::Drop() {
  v1::DropTensorRequest request;
  *request.mutable_attempt() = client_->ref();
  request.set_name(name());
  RETURN_IF_ERROR(CallTogether(absl::StrCat("drop '", name(), "'"), name(),
                               MessageKind::kDropTensorRequest,
                               MessageKind::kDropTensorReply, request));
  client_->Erase(name());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DistTensor>> DistTensor::Create(
    DistContext& context, const DistTensorOptions& options) {
  const auto client = context.tensors().shared_from_this();
  ASSIGN_OR_RETURN(auto info, CreateTensor(client, options));
  return std::make_unique<Tensor>(client, std::move(info), options);
}

}  // namespace tributary
