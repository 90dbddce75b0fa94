// Clients and a peer that abuse a simulated fleet all the time, beside honest
// trainers.
#ifndef TRIBUTARY_TESTS_SIM_ANTAGONISTS_H_
#define TRIBUTARY_TESTS_SIM_ANTAGONISTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/transport.h"
#include "common/proto/wire.pb.h"
#include "common/testing/sim_random.h"
#include "sampler_server/testing/scripted_trainer.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/schedule.h"

namespace tributary {

// Clients that commit abuses. Each is a process of its own, which sends what it
// can to every server and reads hardly anything. Used on the simulation's
// thread.
class Antagonists {
 public:
  // `servers` of `fleet` are abused; `graph` is theirs. Both outlive this.
  Antagonists(SimFleet* fleet, int64_t abuses, std::vector<Address> servers,
              const Graph& graph);
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
    uint64_t number = 0;  // of what it has sent
  };

  void Act(Client& client);
  void ActOn(Client& client, const Address& server);
  std::shared_ptr<End> Open(Client& client, const Address& server,
                            StreamMethod method);
  std::vector<std::shared_ptr<End>> Opened(Client& client,
                                           const Address& server,
                                           StreamMethod method, size_t most);
  void Send(End& end, MessageKind kind, std::string header,
            uint64_t call_id = 0, std::shared_ptr<const std::string> = nullptr);
  void Describe(Client& client, const Address& server);
  void CallLeaf(Client& client, const Address& server);
  void FillQueue(Client& client, const Address& server);
  void FailCalls(Client& client, const Address& server);
  void OpenStreams(Client& client, const Address& server);
  void OpenSessions(Client& client, const Address& server);
  TrainerSession SessionOf(uint64_t random_seed) const;
  void OpenSession(End& end, const TrainerSession& session,
                   const std::string& job);

  SimFleet* const fleet_;
  const std::vector<Address> servers_;
  const Graph& graph_;
  SimRandom random_;
  std::vector<std::unique_ptr<Client>> clients_;
  bool stopped_ = false;
  uint64_t messages_sent_ = 0;
  uint64_t streams_closed_ = 0;
};

// Answers the leaf calls of peers, about half of them with nonsense that can be
// told from a true answer: errors that look final, and replies that are cut or
// of another kind. All other streams are those of `honest`, which outlives it
// and its streams.
std::unique_ptr<StreamAcceptor> MakeLyingPeer(StreamAcceptor* honest,
                                              uint64_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_ANTAGONISTS_H_
