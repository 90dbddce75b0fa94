// Maps each StreamMethod to the path of its gRPC method and back.
#ifndef TRIBUTARY_CHANNEL_GRPC_STREAM_METHOD_H_
#define TRIBUTARY_CHANNEL_GRPC_STREAM_METHOD_H_

#include <optional>
#include <string>

#include "channel/transport.h"

namespace tributary {

inline const char* GrpcMethodPath(StreamMethod method) {
  switch (method) {
    case StreamMethod::kBatches:
      return "/tributary.v1.Sampler/StreamBatches";
    case StreamMethod::kLeaf:
      return "/tributary.v1.Sampler/Leaf";
    case StreamMethod::kControl:
      return "/tributary.v1.Sampler/Control";
    case StreamMethod::kData:
      return "/tributary.v1.Sampler/Data";
  }
  return "";
}

inline std::optional<StreamMethod> StreamMethodOf(const std::string& path) {
  for (const auto method : {StreamMethod::kBatches, StreamMethod::kLeaf,
                            StreamMethod::kControl, StreamMethod::kData}) {
    if (path == GrpcMethodPath(method)) return method;
  }
  return std::nullopt;
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_STREAM_METHOD_H_
