// All servers that a loader may ask.
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
#include "trainer_client/core/fleet/batch_fleet.h"
#include "trainer_client/core/fleet/death_record.h"
#include "trainer_client/core/fleet/server_events.h"
#include "trainer_client/core/fleet/server_link.h"

namespace tributary {

struct ServerFleetOptions {
  DiscoverySource source;
  std::vector<int> server_rank;  // positions in the listing; empty: all
  // If above 0, the servers that SpreadServers gives this client come first,
  // as long as one of them can take a batch.
  int num_clients = 0;
  int client_rank = 0;
  // The most servers to keep streams to; 0: all. See ChooseSubset.
  size_t max_servers = 0;
  // Identifies this client in the order of servers; differs among the clients.
  std::string client;
  ServerLinkOptions link;  // except address and jitter_seed
  HostResolver* resolver = nullptr;
  uint64_t jitter_seed = 0;
};

// Follows the list of servers, keeps a ServerLink to each that ChooseSubset
// takes, and chooses which one to ask. A server that leaves the list is kept
// until its link goes down, since a list that is cut short must not empty a
// healthy fleet (Membership).
//
// What servers outside of the subset own is known from their peers. A member
// that fails or drains is replaced by the next of the order at once; its link
// goes on trying, without streams, and the member takes its place again when it
// returns. Its substitute then rests, and leaves with its last grant, but only
// once all members have been up for 10 s, so that a server that comes and goes
// moves nobody. At most four substitutes stay so long.
//
// All methods run on the strand. Shared by its user, whom it reports to through
// a weak pointer.
class ServerFleet : public BatchFleet,
                    public ServerEvents,
                    public std::enable_shared_from_this<ServerFleet> {
 public:
  explicit ServerFleet(ServerFleetOptions options);

  void Start();
  // Reports to `events` from now on, instead of whoever was set before.
  void SetEvents(std::weak_ptr<ServerEvents> events) {
    events_ = std::move(events);
  }
  // Credits are of this session from now on. Requires that none of an earlier
  // session is open.
  void SetSession(std::shared_ptr<const std::string> spec);
  // Calls ServerLink::PinGraph on all servers, and on those that come later.
  void PinGraph(const Sha256Digest& content);
  const GraphName& graph() const { return options_.link.graph; }
  // The partitions of the graph, of each of which a known owner is wanted.
  void SetNumPartitions(uint32_t num_partitions);
  // `closed` runs once every stream has closed.
  void Close(absl::AnyInvocable<void()> closed);

  // Tells all servers how much this trainer waits: the share of the last
  // minute.
  void ReportWait(double wait_ratio);

  // Returns whether each server has been asked at least once, and is up or has
  // failed.
  bool AllAnswered() const;
  // Returns the servers that are up.
  std::vector<ServerLink*> Up() const;
  // Returns an error if every listed server has given a final answer that it
  // does not have what is asked for: the answer of the first of them.
  absl::Status RefusedByAll() const;
  // Returns an error if no server takes this trainer and its session: at least
  // one refuses them (RefusesForGood), and the others do, too, or cannot be
  // reached. One that refuses alone is believed only if no other one is listed.
  absl::Status RefusedByReachable() const;
  // As AnyMayComeBeside, of the servers that own the partition as far as is
  // known; of all if it is nullopt.
  bool AnyOwnerMayComeBeside(const std::vector<Address>& servers,
                             std::optional<uint32_t> partition) const;
  // Returns every server with its partitions and state, for messages.
  std::string ToString() const;
  // Returns DescribeMissing of the servers; empty if nothing is missing.
  std::string Missing(uint32_t num_partitions) const;

  // ---- BatchFleet -----------------------------------------------------------
  // Among the servers that can take the batch now and have no grant for it:
  // this client's own servers come first, then the lowest load. Equal ones take
  // turns by index.
  BatchServer* Choose(const Choice& choice) const override;
  void Cancel(const BatchRef& batch, const BatchServer* keep) override;
  void CancelAll() override;
  bool IsRequested(const BatchRef& batch) const override;
  size_t num_open_grants() const override;
  size_t num_up() const override;
  bool AnyUpBeside(const std::vector<Address>& servers) const override;
  bool AnyMayComeBeside(const std::vector<Address>& servers) const override;
  FleetLosses losses() const override;
  std::vector<BatchRef> FindSilent() override;
  std::vector<BatchRef> FindLate(absl::Duration age) const override;
  DeathRecord::Fate FateOf(const DeathRecord::Holder& holder) const override;

 private:
  // A listed server.
  struct Known {
    Address address;
    uint64_t score = 0;  // see SubsetScore
    std::vector<uint32_t> partitions;
    bool described = false;  // else `partitions` is what its peers say
  };

  void OnListing(const ServerListing& listing);
  bool LimitsServers() const {
    return options_.max_servers != 0 && known_.size() > options_.max_servers;
  }
  void UpdateKnown(const std::vector<Address>& selected);
  // Adds the links that are missing and lets go those that are not needed.
  void Rebalance();
  // Rebalances after the current call: links may not go inside their own.
  void RebalanceSoon();
  std::set<Address> Wanted() const;
  // Lets a link rest that is not wanted, and removes it if nothing needs it.
  void LetGoUnwanted(const std::set<Address>& wanted);
  void Learn(const Address& address, const ServerDescription& description);
  // Adds the time since the last call to that for which servers were up.
  void CountUp();
  // Returns those of the listed addresses that this loader may ask.
  std::vector<Address> Select(const std::vector<Address>& listed) const;
  void Add(const Address& address);
  // Closes the link and keeps it until its streams have closed.
  void Remove(const std::shared_ptr<ServerLink>& link);
  ServerLink* Find(const Address& address) const;

  // ServerEvents
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                  GrantEnd end) override;

  const ServerFleetOptions options_;
  std::weak_ptr<ServerEvents> events_;
  std::shared_ptr<Discovery> discovery_;
  absl::Status listing_problem_;
  Membership membership_;
  // This client's share of the servers; empty: servers are not shared out.
  std::set<Address> own_;
  std::vector<Known> known_;
  uint32_t num_partitions_ = 0;
  bool rebalance_posted_ = false;
  bool settling_ = false;  // a timer will rebalance
  std::vector<std::shared_ptr<ServerLink>> links_;
  // Removed from the fleet, their streams not closed yet.
  std::vector<std::shared_ptr<ServerLink>> leaving_;
  std::shared_ptr<const std::string> spec_;
  std::optional<Sha256Digest> content_;
  uint64_t links_made_ = 0;
  FleetLosses losses_;  // until counted_at_
  absl::Time counted_at_;
  size_t counted_up_ = 0;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_FLEET_H_
