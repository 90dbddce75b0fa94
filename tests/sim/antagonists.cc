#include "tests/sim/antagonists.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// A client sends often at first and then less, so that long runs have no more
// events than they need. It takes what has come seldom, and for a short time.
constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr double kPauseGrows = 1.3;
constexpr int kSendsBetweenReads = 6;
constexpr absl::Duration kReadsFor = absl::Milliseconds(5);
constexpr int kMessagesAtOnce = 8;  // on each stream
// A costly batch has some hundred events.
constexpr int kCostlyMessagesAtOnce = 3;

}  // namespace

// One stream of a client, which takes nothing from what arrives.
class Antagonists::End final : public StreamHandler {
 public:
  explicit End(Antagonists* owner) : owner_(owner) {}
  void OnMessage(IncomingMessage&) override {}
  void OnClosed(const absl::Status& why) override {
    if (!why.ok()) ++owner_->streams_closed_;
    closed = true;
    stream.reset();
  }

  Address server;
  StreamMethod method{};
  std::shared_ptr<Stream> stream;
  bool closed = false;

 private:
  Antagonists* const owner_;
};

Antagonists::Antagonists(SimFleet* fleet, int64_t abuses,
                         std::vector<Address> servers, const Graph& graph,
                         bool certificates, absl::Duration costly_pause)
    : fleet_(fleet),
      servers_(std::move(servers)),
      messages_(&graph.schema(), /*names_jobs=*/!certificates) {
  for (const Abuse abuse : AbusesOfClients()) {
    if ((abuses & abuse) == 0) continue;
    auto client = std::make_unique<Client>();
    client->abuse = abuse;
    client->longest_pause =
        abuse == kCostlyBatches ? costly_pause : kLongestPause;
    client->pause = std::min(kFirstPause, client->longest_pause);
    client->node = fleet->world.AddNode(absl::StrCat("antagonist", abuse));
    if (certificates) {
      fleet->network.SetIdentity(client->node,
                                 abuse == kUnreadLeafReplies
                                     ? Identity{Role::kSampler, "stolen"}
                                     : Identity{Role::kTrainer, "thief"});
    }
    clients_.push_back(std::move(client));
  }
}

Antagonists::~Antagonists() { Stop(); }

bool Antagonists::Has(int node) const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [node](const auto& c) { return c->node->node() == node; });
}

void Antagonists::Start() {
  for (auto& client : clients_) Act(*client);
}

void Antagonists::Stop() {
  if (std::exchange(stopped_, true)) return;
  for (auto& client : clients_) {
    fleet_->network.Crash(client->node);
    client->ends.clear();
  }
}

// It sends while it is frozen: nothing that arrives is taken then, not even the
// end of a stream. Whoever wants batches to be made reads them.
void Antagonists::Act(Client& client) {
  if (stopped_) return;
  SimScheduler& world = fleet_->world;
  const int node = client.node->node();
  const bool reads = client.abuse == kCostlyBatches;
  if (!reads && client.acts++ % kSendsBetweenReads == 0) {
    world.Thaw(node);
    world.Schedule(-1, world.now() + kReadsFor, [this, node] {
      if (!stopped_) fleet_->world.Freeze(node);
    });
  }
  std::erase_if(client.ends, [](const auto& end) { return end->closed; });
  for (const Address& server : servers_) {
    for (const AbusedStreams& streams : StreamsOf(client.abuse)) {
      Use(client, server, streams);
    }
  }
  world.Schedule(-1, world.now() + client.pause,
                 [this, &client] { Act(client); });
  client.pause = std::min(client.pause * kPauseGrows, client.longest_pause);
}

std::shared_ptr<Antagonists::End> Antagonists::Open(Client& client,
                                                    const Address& server,
                                                    StreamMethod method) {
  auto end = std::make_shared<End>(this);
  end->server = server;
  end->method = method;
  end->stream =
      fleet_->network.TransportOf(client.node)->Connect(server, method, end);
  client.ends.push_back(end);
  return end;
}

uint64_t Antagonists::IncarnationOf(const Address& server) const {
  for (const auto& one : fleet_->servers) {
    if (one->address == server) return one->incarnation;
  }
  return 0;
}

// Opens what is missing of the streams, and sends on each of them.
void Antagonists::Use(Client& client, const Address& server,
                      const AbusedStreams& streams) {
  std::vector<std::shared_ptr<End>> open;
  for (const auto& end : client.ends) {
    if (!end->closed && end->server == server &&
        end->method == streams.method) {
      open.push_back(end);
    }
  }
  const size_t wanted =
      std::max(streams.streams, open.size() + streams.more_each_time);
  while (open.size() < wanted) {
    open.push_back(Open(client, server, streams.method));
  }
  messages_.set_incarnation(IncarnationOf(server));
  const int at_once =
      client.abuse == kCostlyBatches ? kCostlyMessagesAtOnce : kMessagesAtOnce;
  for (const auto& end : open) {
    for (auto& message :
         messages_.Next(client.abuse, streams.method, at_once)) {
      if (end->stream == nullptr) break;
      ++messages_sent_;
      end->stream->Send(std::move(message)).IgnoreError();
    }
  }
}

}  // namespace tributary
