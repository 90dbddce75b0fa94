#include "sampler_server/tensors/testing/tensor_caller.h"

#include "common/tensor/dtype.h"

namespace tributary {

absl::Status TensorCaller::Open(uint32_t world,
                                const std::vector<v1::TensorMember>& members,
                                uint32_t member) {
  v1::OpenAttemptRequest request;
  request.set_world(world);
  for (const auto& one : members) *request.add_members() = one;
  request.set_member(member);
  return Ask<v1::OpenAttemptReply>(MessageKind::kOpenAttemptRequest, request)
      .status();
}

absl::Status TensorCaller::CloseAttempt() {
  return Ask<v1::CloseAttemptReply>(MessageKind::kCloseAttemptRequest,
                                    v1::CloseAttemptRequest())
      .status();
}

absl::StatusOr<TensorReply<v1::CreateTensorReply>> TensorCaller::Create(
    const v1::TensorSpec& spec) {
  v1::CreateTensorRequest request;
  *request.mutable_spec() = spec;
  return Ask<v1::CreateTensorReply>(MessageKind::kCreateTensorRequest, request);
}

absl::Status TensorCaller::Attach(const std::string& name,
                                  v1::SparseOptimizer optimizer) {
  v1::AttachOptimizerRequest request;
  request.set_name(name);
  request.set_optimizer(optimizer);
  return Ask<v1::AttachOptimizerReply>(MessageKind::kAttachOptimizerRequest,
                                       request)
      .status();
}

absl::StatusOr<TensorReply<v1::ReadRowsReply>> TensorCaller::Read(
    const std::string& name, const std::vector<uint64_t>& rows,
    uint64_t after_round, uint64_t changed_since) {
  v1::ReadRowsRequest request;
  request.set_name(name);
  request.set_num_rows(rows.size());
  request.set_after_round(after_round);
  request.set_changed_since(changed_since);
  request.set_max_reply_bytes(uint64_t{4} << 20);
  request.set_timeout_ms(10'000);
  return Ask<v1::ReadRowsReply>(MessageKind::kReadRowsRequest, request,
                                RowsAndValues<uint8_t>(rows, {}));
}

absl::Status TensorCaller::Write(const std::string& name, v1::WriteOp op,
                                 size_t num_rows,
                                 std::vector<uint8_t> payload) {
  v1::WriteRowsRequest request;
  request.set_name(name);
  request.set_op(op);
  request.set_num_rows(num_rows);
  request.set_sequence(++sequence_);
  request.set_oldest_open(sequence_);
  return Ask<v1::WriteRowsReply>(MessageKind::kWriteRowsRequest, request,
                                 std::move(payload))
      .status();
}

v1::TensorSpec FloatSpec(const std::string& name, uint64_t num_rows,
                         uint32_t dim) {
  v1::TensorSpec spec;
  spec.set_name(name);
  spec.set_num_rows(num_rows);
  spec.set_dim(dim);
  spec.set_dtype(static_cast<uint32_t>(DType::kFloat32));
  return spec;
}

}  // namespace tributary
