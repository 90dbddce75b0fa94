// The open streams of a server, and their limits.
#ifndef TRIBUTARY_CHANNEL_GRPC_STREAM_LIMITS_H_
#define TRIBUTARY_CHANNEL_GRPC_STREAM_LIMITS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "channel/grpc/grpc_stream.h"
#include "channel/net/connection_use.h"
#include "channel/net/stream_places.h"
#include "channel/stream_registry.h"

namespace tributary {

// Thread-safe.
struct StreamLimits {
  explicit StreamLimits(size_t max_streams) : places(max_streams) {}

  // Null if gRPC's `peer` is not measured.
  std::shared_ptr<ConnectionUse> UseOf(const std::string& peer) const {
    const ConnectionTable* table = connections.load();
    if (table == nullptr) return nullptr;
    return table->Find(ConnectionTable::KeyOfPeer(peer));
  }

  StreamPlaces places;
  StreamRegistry<GrpcStream> registry;
  std::atomic<const ConnectionTable*> connections = nullptr;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_STREAM_LIMITS_H_
