// A server with a recorder, and its clients, for the tests of TLS over gRPC.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_TESTING_TLS_FIXTURE_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_TESTING_TLS_FIXTURE_H_

#include <grpc/grpc.h>

#include "channel/grpc/testing/grpc_network.h"
#include "channel/testing/network_test.h"

namespace tributary {

class TlsTest : public conformance::NetworkTest<GrpcNetwork> {
 protected:
  static void SetUpTestSuite() { grpc_init(); }
  static void TearDownTestSuite() { grpc_shutdown(); }
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_TESTING_TLS_FIXTURE_H_
