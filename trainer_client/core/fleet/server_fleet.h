// All servers that a loader may ask, and which of them to ask next.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_FLEET_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_FLEET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/fleet/discovery.h"
#include "common/fleet/membership.h"
#include "trainer_client/core/fleet/death_record.h"
#include "trainer_client/core/fleet/server_link.h"

namespace tributary {

struct ServerFleetOptions {
  DiscoverySource source;
  std::vector<int> server_rank;  // numbers in the listing; empty: all
  // Above 0: those that SpreadServers gives this client come first, as long as
  // one of them can take a batch.
  int num_clients = 0;
  int client_rank = 0;
  ServerLinkOptions link;  // but for address and jitter_seed
  HostResolver* resolver = nullptr;
  uint64_t jitter_seed = 0;
};

// Told on the strand.
class FleetEvents {
 public:
  virtual ~FleetEvents() = default;
  virtual absl::Status OnDescribed(ServerLink& link,
                                   const ServerDescription& description) = 0;
  virtual void OnServerUp(ServerLink& link) = 0;
  virtual void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) = 0;
  virtual void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                          GrantEnd end) = 0;
};

// All methods on the strand. Owned by what it tells, through a weak pointer.
class ServerFleet : public ServerEvents,
                    public std::enable_shared_from_this<ServerFleet> {
 public:
  explicit ServerFleet(ServerFleetOptions options);

  void Start();
  void SetEvents(std::weak_ptr<FleetEvents> events) {
    events_ = std::move(events);
  }
  void SetSession(std::shared_ptr<const std::string> spec);
  // ServerLink::PinGraph, of all servers that there are and will be.
  void PinGraph(const Sha256Digest& content);
  const GraphName& graph() const { return options_.link.graph; }
  // `closed` runs once every stream has closed.
  void Close(absl::AnyInvocable<void()> closed);

  struct Choice {
    uint64_t index = 0;
    uint64_t generation = 0;
    bool alone = false;
    // Failed at this batch last: chosen only when no other can take it.
    std::optional<Address> avoid;
  };
  // Of the servers that can take the batch now and do not hold it yet: this
  // client's own before others, then the one with the least load; equal ones
  // take turns by index. Null: none.
  ServerLink* Choose(const Choice& choice) const;
  // Tells the servers but `keep` that they need not make it.
  void Abandon(uint64_t index, uint64_t generation, const ServerLink* keep);
  void AbandonAll();
  bool IsAsked(uint64_t index, uint64_t generation) const;
  size_t num_open_grants() const;
  size_t num_up() const;
  ServerLink* AnyUp() const;
  // Not OK when every server that is listed has answered, and for good, that it
  // does not have what is asked for: what one of them said.
  absl::Status RefusedByAll() const;
  std::vector<OpenGrant> FindSilent();
  std::vector<OpenGrant> FindLate(absl::Duration age) const;
  DeathRecord::Fate FateOf(const DeathRecord::Holder& holder) const;
  // Every server with its partitions and state, for messages.
  std::string ToString() const;

 private:
  void OnListing(const ServerListing& listing);
  void Add(const Address& address);
  const ServerLink* Find(const Address& address) const;

  // ServerEvents
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                  GrantEnd end) override;

  const ServerFleetOptions options_;
  std::weak_ptr<FleetEvents> events_;
  std::shared_ptr<Discovery> discovery_;
  absl::Status listing_problem_;
  Membership membership_;
  std::set<Address> own_;  // of all clients' servers; empty: none is another's
  std::vector<std::shared_ptr<ServerLink>> links_;
  // Out of the fleet, their streams not closed yet.
  std::vector<std::shared_ptr<ServerLink>> leaving_;
  std::shared_ptr<const std::string> spec_;
  std::optional<Sha256Digest> content_;
  uint64_t links_made_ = 0;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_FLEET_H_
