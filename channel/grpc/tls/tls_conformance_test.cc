// The suite that every transport must pass, over mutual TLS.
#include "channel/grpc/testing/grpc_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/transport_conformance.h"

namespace tributary::conformance {

using OverGrpcTls = NetworkHarness<GrpcNetwork, Over::kTls>;
INSTANTIATE_TYPED_TEST_SUITE_P(Tls, TransportConformance, OverGrpcTls);

}  // namespace tributary::conformance
