// Clients and a peer that abuse a simulated fleet all the time, beside honest
// trainers.
#ifndef TRIBUTARY_TESTS_SIM_ANTAGONISTS_H_
#define TRIBUTARY_TESTS_SIM_ANTAGONISTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "channel/transport.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/abuse/abuse.h"

namespace tributary {

// Clients that commit abuses, each a process of its own, which sends what it
// can to every server and reads hardly anything. Used on the simulation's
// thread.
class Antagonists {
 public:
  static constexpr absl::Duration kLongestPause = absl::Seconds(2);

  // A process for each of `abuses`, a sum. `servers` of `fleet` are abused;
  // `graph` is theirs. Both outlive this. With `certificates` they are trainers
  // of one job, and a sampler where they call Leaf. `costly_pause` is the
  // longest pause of kCostlyBatches before it asks for more batches.
  Antagonists(SimFleet* fleet, int64_t abuses, std::vector<Address> servers,
              const Graph& graph, bool certificates = false,
              absl::Duration costly_pause = kLongestPause);
  ~Antagonists();
  // Begins now and goes on until Stop, at which their processes end.
  void Start();
  void Stop();

  bool Has(int node) const;
  uint64_t messages_sent() const { return messages_sent_; }
  // Streams that servers closed with an error.
  uint64_t streams_closed() const { return streams_closed_; }

 private:
  class End;
  struct Client {
    Abuse abuse;
    SimExecutor* node = nullptr;
    std::vector<std::shared_ptr<End>> ends;
    int acts = 0;
    absl::Duration pause;  // before the next one
    absl::Duration longest_pause;
  };

  void Act(Client& client);
  void Use(Client& client, const Address& server, const AbusedStreams& streams);
  std::shared_ptr<End> Open(Client& client, const Address& server,
                            StreamMethod method);

  SimFleet* const fleet_;
  const std::vector<Address> servers_;
  AbuseMessages messages_;
  std::vector<std::unique_ptr<Client>> clients_;
  bool stopped_ = false;
  uint64_t messages_sent_ = 0;
  uint64_t streams_closed_ = 0;
};

// How often the leaf streams of a slow peer carry a message in each direction:
// it answers all calls, long before they are given up.
inline constexpr absl::Duration kSlowPeerPace = absl::Milliseconds(50);

// Answers the leaf calls of peers, about half of them with nonsense that can be
// told from a true answer: errors that look final, and replies that are cut or
// of another kind. All other streams are those of `honest`, which outlives it
// and its streams.
std::unique_ptr<StreamAcceptor> MakeLyingPeer(StreamAcceptor* honest,
                                              uint64_t seed);

// Answers about half of the credits of trainers with lies: errors of every code
// that look final, needs of more than any ring has, sessions that it does not
// know, batches that it returns, streams that it closes; and describes itself
// as another process each time. All else is of `honest`, which outlives it and
// its streams.
std::unique_ptr<StreamAcceptor> MakeLyingServer(StreamAcceptor* honest,
                                                uint64_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_ANTAGONISTS_H_
