// grpc.health.v1.Health/Check under the limits of all streams. gRPC's own
// health service has none.
#ifndef TRIBUTARY_CHANNEL_GRPC_HEALTH_STREAM_H_
#define TRIBUTARY_CHANNEL_GRPC_HEALTH_STREAM_H_

#include <grpcpp/alarm.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/grpc/accepted_stream.h"

namespace tributary {

inline constexpr char kHealthCheckPath[] = "/grpc.health.v1.Health/Check";

// A call, for any role. Answers SERVING or NOT_SERVING for service "", which is
// the server, and NOT_FOUND for all others. DEADLINE_EXCEEDED without a request
// for kRequestTimeout, INVALID_ARGUMENT for one that is none.
//
// There is no Watch: the protocol has clients that are told UNIMPLEMENTED go on
// without it.
class HealthStream final : public AcceptedStream {
 public:
  // `serving` outlives it.
  HealthStream(grpc::GenericCallbackServerContext* context,
               const ConnectionOptions& options, bool tls, StreamLimits* limits,
               const std::atomic<bool>* serving)
      : AcceptedStream(context, options, tls, limits), serving_(serving) {}

  static constexpr absl::Duration kRequestTimeout = absl::Seconds(5);
  static constexpr size_t kMaxRequestBytes = 512;

 private:
  absl::Status CheckAllowed(const Identity&) override {
    return absl::OkStatus();
  }
  absl::Status Accept(CallerPtr caller) override;
  bool TakeMessage(grpc::ByteBuffer* message) override;
  void Over() override { deadline_.Cancel(); }
  void End(const absl::Status& why, bool orderly) override;
  absl::Status Answer(const grpc::ByteBuffer& request);

  const std::atomic<bool>* const serving_;
  grpc::Alarm deadline_;
  grpc::ByteBuffer response_;  // set before the end that sends it
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_HEALTH_STREAM_H_
