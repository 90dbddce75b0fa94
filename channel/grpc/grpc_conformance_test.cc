// Runs the tests of all transports over gRPC.
#include "channel/grpc/testing/grpc_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/transport_conformance.h"

namespace tributary::conformance {

using OverGrpc = NetworkHarness<GrpcNetwork, Over::kTcp>;
using OverGrpcOnUnix = NetworkHarness<GrpcNetwork, Over::kUnix>;
INSTANTIATE_TYPED_TEST_SUITE_P(Grpc, TransportConformance, OverGrpc);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportConformance, OverGrpcOnUnix);

}  // namespace tributary::conformance
