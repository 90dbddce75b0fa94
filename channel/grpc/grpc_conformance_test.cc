// Runs the tests of all transports over gRPC.
#include "channel/grpc/testing/grpc_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/transport_conformance.h"

namespace tributary::conformance {

using Tcp = NetworkHarness<GrpcNetwork, Over::kTcp>;
using Unix = NetworkHarness<GrpcNetwork, Over::kUnix>;
INSTANTIATE_TYPED_TEST_SUITE_P(Grpc, TransportConformance, Tcp);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportConformance, Unix);

}  // namespace tributary::conformance
