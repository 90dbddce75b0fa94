// Runs the tests of all transports over channel/tcp.
#include "channel/tcp/testing/tcp_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/transport_conformance.h"

namespace tributary::conformance {

using OverTcp = NetworkHarness<TcpNetwork, Over::kTcp>;
using OverTcpOnUnix = NetworkHarness<TcpNetwork, Over::kUnix>;
INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, TransportConformance, OverTcp);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportConformance, OverTcpOnUnix);

}  // namespace tributary::conformance
