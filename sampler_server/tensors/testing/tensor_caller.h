// A client of mutable rows for tests: builds requests and reads replies,
// without the trainer's logic.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TESTING_TENSOR_CALLER_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TESTING_TENSOR_CALLER_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/proto/tensors.pb.h"
#include "common/runtime/executor.h"

namespace tributary {

// A reply: its header, and its payload's bytes.
template <typename Reply>
struct TensorReply {
  Reply header;
  std::vector<uint8_t> payload;

  template <typename T>
  std::vector<T> As(size_t offset = 0) const {
    std::vector<T> values((payload.size() - offset) / sizeof(T));
    if (!values.empty()) {
      std::memcpy(values.data(), payload.data() + offset,
                  values.size() * sizeof(T));
    }
    return values;
  }
};

// Returns the bytes of rows followed by their values.
template <typename T>
std::vector<uint8_t> RowsAndValues(const std::vector<uint64_t>& rows,
                                   const std::vector<T>& values) {
  std::vector<uint8_t> bytes(rows.size() * sizeof(uint64_t) +
                             values.size() * sizeof(T));
  if (!rows.empty()) {
    std::memcpy(bytes.data(), rows.data(), rows.size() * sizeof(uint64_t));
  }
  if (!values.empty()) {
    std::memcpy(bytes.data() + rows.size() * sizeof(uint64_t), values.data(),
                values.size() * sizeof(T));
  }
  return bytes;
}

// One stream to one server, as one rank of an attempt. `wait` runs until its
// argument returns true, or gives up: in a simulation by steps of the world.
class TensorCaller {
 public:
  using Wait = std::function<void(const std::function<bool()>&)>;

  TensorCaller(Transport* transport, const Address& address, Executor* executor,
               Wait wait, v1::AttemptRef ref)
      : executor_(executor),
        wait_(std::move(wait)),
        ref_(std::move(ref)),
        calls_(std::make_unique<CallClient>(transport, address,
                                            StreamMethod::kData, executor)) {}

  const v1::AttemptRef& ref() const { return ref_; }
  v1::AttemptRef& ref() { return ref_; }
  CallClient& calls() { return *calls_; }

  // Sends `request`, with this client's attempt if it has the field, and calls
  // `done` with the reply of kind + 1.
  template <typename Reply, typename Request>
  CallClient::CallId Start(
      MessageKind kind, Request request, std::vector<uint8_t> payload,
      std::function<void(absl::StatusOr<TensorReply<Reply>>)> done,
      absl::Duration timeout = absl::Seconds(60)) {
    if constexpr (requires { request.mutable_attempt(); }) {
      if (!request.has_attempt()) *request.mutable_attempt() = ref_;
    }
    CallRequest call;
    call.kind = kind;
    call.header = request.SerializeAsString();
    auto owner = std::make_shared<std::vector<uint8_t>>(std::move(payload));
    call.payload = *owner;
    call.payload_owner = owner;
    return calls_->Call(
        std::move(call), executor_->Now() + timeout, size_t{4} << 20,
        [done = std::move(done)](absl::StatusOr<CallReply> reply) {
          if (!reply.ok()) return done(reply.status());
          TensorReply<Reply> parsed;
          if (!parsed.header.ParseFromString(reply->header)) {
            return done(absl::InternalError("not the reply that was expected"));
          }
          const auto bytes = std::as_const(reply->payload).span();
          parsed.payload.assign(bytes.begin(), bytes.end());
          done(std::move(parsed));
        });
  }

  // The same, and waits. UNKNOWN if nothing came.
  template <typename Reply, typename Request>
  absl::StatusOr<TensorReply<Reply>> Ask(MessageKind kind, Request request,
                                         std::vector<uint8_t> payload = {}) {
    auto result = std::make_shared<absl::StatusOr<TensorReply<Reply>>>(
        absl::UnknownError("no answer came"));
    auto done = std::make_shared<bool>(false);
    Start<Reply>(kind, std::move(request), std::move(payload),
                 [result, done](absl::StatusOr<TensorReply<Reply>> reply) {
                   *result = std::move(reply);
                   *done = true;
                 });
    wait_([done] { return *done; });
    return std::move(*result);
  }

  absl::Status Open(uint32_t world,
                    const std::vector<v1::TensorMember>& members,
                    uint32_t member);
  absl::Status CloseAttempt();
  absl::StatusOr<TensorReply<v1::CreateTensorReply>> Create(
      const v1::TensorSpec& spec);
  absl::Status Attach(const std::string& name, v1::SparseOptimizer optimizer);
  absl::StatusOr<TensorReply<v1::ReadRowsReply>> Read(
      const std::string& name, const std::vector<uint64_t>& rows,
      uint64_t after_round = 0, uint64_t changed_since = 0);
  // Each call takes the next sequence number.
  absl::Status Write(const std::string& name, v1::WriteOp op, size_t num_rows,
                     std::vector<uint8_t> payload);

 private:
  Executor* const executor_;
  const Wait wait_;
  v1::AttemptRef ref_;
  uint64_t sequence_ = 0;
  const std::unique_ptr<CallClient> calls_;
};

// Returns the specification of a tensor of float32.
v1::TensorSpec FloatSpec(const std::string& name, uint64_t num_rows,
                         uint32_t dim);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TESTING_TENSOR_CALLER_H_
