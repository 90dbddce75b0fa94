// The server's end of one gRPC call, whatever its method, with the limits that
// hold for all of them.
#ifndef TRIBUTARY_CHANNEL_GRPC_ACCEPTED_STREAM_H_
#define TRIBUTARY_CHANNEL_GRPC_ACCEPTED_STREAM_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/grpc/grpc_stream.h"
#include "channel/grpc/stream_limits.h"
#include "channel/net/connection_use.h"
#include "channel/network.h"
#include "common/identity/identity.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"

namespace tributary {

// Counts for its connection, takes a place of its caller's and is registered
// while it lasts. It owns itself from Start until OnDone; gRPC finishes it only
// after End has called Finish.
class AcceptedStream : public GrpcStream,
                       public grpc::ServerGenericBidiReactor {
 public:
  // `tls`: the caller is whom the certificate names. `limits` outlives it.
  AcceptedStream(grpc::GenericCallbackServerContext* context,
                 const ConnectionOptions& options, bool tls,
                 StreamLimits* limits);

  // Accepts the call and reads its messages, or closes it.
  void Start();

  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final { WriteDone(ok); }
  void OnCancel() final;
  void OnDone() final;

 protected:
  // Returns whether `identity` may call this method.
  virtual absl::Status CheckAllowed(const Identity& identity) = 0;
  // Accepts the call of an allowed caller who has a place. May close it.
  virtual absl::Status Accept(CallerPtr caller) = 0;
  // Takes a message; returns whether to read another.
  virtual bool TakeMessage(grpc::ByteBuffer* message) = 0;
  // The call is over; the object lives on until this returns.
  virtual void Over() = 0;

  void End(const absl::Status& why, bool orderly) override;
  // Valid until Over, on the threads of gRPC's callbacks and in Accept.
  const grpc::GenericCallbackServerContext& context() const {
    return *context_;
  }

 private:
  absl::Status Admit();
  absl::Status Cut() const;
  void StartWriteOf(const grpc::ByteBuffer* buffer) final;
  void Abort() final;

  const bool tls_;
  StreamLimits* const limits_;
  const std::shared_ptr<ConnectionUse> use_;  // null: not measured
  BudgetShare::Hold place_;
  bool registered_ = false;
  grpc::ByteBuffer in_;
  Mutex context_mutex_;  // gRPC's context lives until OnDone
  grpc::GenericCallbackServerContext* context_;
  std::shared_ptr<GrpcStream> self_;  // until OnDone
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_ACCEPTED_STREAM_H_
