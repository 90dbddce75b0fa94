// A fleet's observer for tests of calls.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_ACCEPT_ALL_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_ACCEPT_ALL_H_

#include <vector>

#include "absl/status/status.h"
#include "trainer_client/core/fleet/server_events.h"

namespace tributary {

// Accepts every server.
class AcceptAll final : public ServerEvents {
 public:
  absl::Status OnDescribed(ServerLink&, const ServerDescription&) override {
    return absl::OkStatus();
  }
  void OnServerUp(ServerLink&) override {}
  void OnServerDown(ServerLink&, std::vector<OpenGrant>) override {}
  void OnGrantEnd(ServerLink&, const OpenGrant&, GrantEnd) override {}
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_ACCEPT_ALL_H_
