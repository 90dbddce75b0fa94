#include "tests/sim/antagonists.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"

namespace tributary {
namespace {

// A client sends so often, and takes what has come so seldom and for so long.
constexpr absl::Duration kSendsEvery = absl::Milliseconds(250);
constexpr int kSendsBetweenReads = 24;
constexpr absl::Duration kReadsFor = absl::Milliseconds(5);
constexpr size_t kStreamsToAServer = 3;
constexpr int kMessagesAtOnce = 12;  // on each stream

constexpr uint64_t kCreditBytes = 8 << 10;
constexpr uint64_t kADayMs = 24 * 3'600'000;

OutgoingMessage ToMessage(MessageKind kind, uint64_t call_id,
                          std::string header,
                          std::shared_ptr<const std::string> payload) {
  OutgoingMessage message;
  message.kind = kind;
  message.call_id = call_id;
  message.header = std::move(header);
  if (payload != nullptr) {
    message.payload = {reinterpret_cast<const uint8_t*>(payload->data()),
                       payload->size()};
    message.payload_owner = std::move(payload);
  }
  return message;
}

std::string Bytes(const Sha256Digest& digest) {
  return std::string(digest.begin(), digest.end());
}

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
                         std::vector<Address> servers, const Graph& graph)
    : fleet_(fleet),
      servers_(std::move(servers)),
      graph_(graph),
      random_(fleet->world.seed(), "antagonists") {
  for (const Abuse abuse : {kUnreadDescribes, kUnreadLeafReplies, kQueuePlaces,
                            kUnreadAnswers, kManyStreams, kManySessions}) {
    if ((abuses & abuse) == 0) continue;
    auto client = std::make_unique<Client>();
    client->abuse = abuse;
    client->node = fleet->world.AddNode(absl::StrCat("antagonist", abuse));
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
// end of a stream.
void Antagonists::Act(Client& client) {
  if (stopped_) return;
  SimScheduler& world = fleet_->world;
  const int node = client.node->node();
  if (client.acts++ % kSendsBetweenReads == 0) {
    world.Thaw(node);
    world.Schedule(-1, world.now() + kReadsFor, [this, node] {
      if (!stopped_) fleet_->world.Freeze(node);
    });
  }
  std::erase_if(client.ends, [](const auto& end) { return end->closed; });
  for (const Address& server : servers_) ActOn(client, server);
  world.Schedule(-1, world.now() + kSendsEvery,
                 [this, &client] { Act(client); });
}

void Antagonists::ActOn(Client& client, const Address& server) {
  switch (client.abuse) {
    case kUnreadDescribes:
      return Describe(client, server);
    case kUnreadLeafReplies:
      return CallLeaf(client, server);
    case kQueuePlaces:
      return FillQueue(client, server);
    case kUnreadAnswers:
      return FailCalls(client, server);
    case kManyStreams:
      return OpenStreams(client, server);
    case kManySessions:
      return OpenSessions(client, server);
    default:
      return;
  }
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

// Returns its streams of the method to the server, of which it opens more up
// to `most`.
std::vector<std::shared_ptr<Antagonists::End>> Antagonists::Opened(
    Client& client, const Address& server, StreamMethod method, size_t most) {
  std::vector<std::shared_ptr<End>> open;
  for (const auto& end : client.ends) {
    if (!end->closed && end->server == server && end->method == method) {
      open.push_back(end);
    }
  }
  while (open.size() < most) open.push_back(Open(client, server, method));
  return open;
}

void Antagonists::Send(End& end, MessageKind kind, std::string header,
                       uint64_t call_id,
                       std::shared_ptr<const std::string> payload) {
  if (end.stream == nullptr) return;
  ++messages_sent_;
  end.stream
      ->Send(ToMessage(kind, call_id, std::move(header), std::move(payload)))
      .IgnoreError();
}

void Antagonists::Describe(Client& client, const Address& server) {
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  request.set_any(true);
  for (const auto& end :
       Opened(client, server, StreamMethod::kControl, kStreamsToAServer)) {
    for (int i = 0; i < kMessagesAtOnce; ++i) {
      Send(*end, MessageKind::kDescribeRequest, request.SerializeAsString(),
           ++client.number);
    }
  }
}

// Asks each server for as many rows as a reply may have. Partitions that it
// does not have cost it an error.
void Antagonists::CallLeaf(Client& client, const Address& server) {
  v1::GatherRequest request;
  request.set_layout_digest(Bytes(graph_.schema().layout_digest));
  request.set_node_type(0);
  request.add_columns(v1::COLUMN_ORIG_ID);
  request.set_max_reply_bytes(1 << 20);
  request.set_timeout_ms(kADayMs);
  // Large ones, and small ones for what is left.
  constexpr uint64_t kRows[] = {512, 64, 4};
  for (const auto& end :
       Opened(client, server, StreamMethod::kLeaf, kStreamsToAServer)) {
    for (int i = 0; i < kMessagesAtOnce; ++i) {
      request.set_partition(static_cast<uint32_t>(i) %
                            graph_.schema().num_partitions);
      request.set_num_rows(kRows[i / 4 % std::size(kRows)]);
      Send(*end, MessageKind::kGatherRequest, request.SerializeAsString(),
           ++client.number,
           std::make_shared<const std::string>(
               request.num_rows() * sizeof(uint64_t), '\0'));
    }
  }
}

TrainerSession Antagonists::SessionOf(uint64_t random_seed) const {
  SpecOptions options;
  options.input_type = graph_.schema().node_types[0].name;
  options.num_neighbors.by_default = {2};
  options.batch_size = 3;
  options.random_seed = random_seed;
  return MakeSession(graph_.schema(), std::move(options), {0, 1, 2, 3, 4, 5});
}

void Antagonists::OpenSession(End& end, const TrainerSession& session,
                              const std::string& job) {
  v1::OpenSession open;
  open.set_spec(session.spec);
  open.set_wire_version(kWireVersion);
  open.set_client(job);
  Send(end, MessageKind::kOpenSession, open.SerializeAsString());
}

void Antagonists::FillQueue(Client& client, const Address& server) {
  const TrainerSession session = SessionOf(1);
  for (const auto& end :
       Opened(client, server, StreamMethod::kBatches, kStreamsToAServer)) {
    for (int i = 0; i < kMessagesAtOnce; ++i) {
      if (i % 8 == 0) {
        OpenSession(*end, session, absl::StrCat("made-up-", client.number));
      }
      v1::Credit credit =
          ScriptedTrainer::MakeCredit(session, 0, kCreditBytes, kADayMs);
      credit.set_grant(++client.number);
      Send(*end, MessageKind::kCredit, credit.SerializeAsString());
    }
  }
}

void Antagonists::FailCalls(Client& client, const Address& server) {
  v1::Cancel cancel;
  for (const auto& end :
       Opened(client, server, StreamMethod::kBatches, kStreamsToAServer)) {
    for (int i = 0; i < kMessagesAtOnce; ++i) {
      cancel.set_grant(++client.number);
      Send(*end, MessageKind::kCancel, cancel.SerializeAsString());
    }
  }
  for (const StreamMethod method :
       {StreamMethod::kControl, StreamMethod::kLeaf, StreamMethod::kData}) {
    for (const auto& end : Opened(client, server, method, 2)) {
      for (int i = 0; i < kMessagesAtOnce; ++i) {
        Send(*end, static_cast<MessageKind>(999), std::string(200, 'x'),
             ++client.number);
      }
    }
  }
}

void Antagonists::OpenStreams(Client& client, const Address& server) {
  for (const StreamMethod method :
       {StreamMethod::kBatches, StreamMethod::kControl, StreamMethod::kLeaf,
        StreamMethod::kData}) {
    for (int i = 0; i < kMessagesAtOnce; ++i) Open(client, server, method);
  }
}

void Antagonists::OpenSessions(Client& client, const Address& server) {
  for (const auto& end : Opened(client, server, StreamMethod::kBatches, 1)) {
    for (int i = 0; i < kMessagesAtOnce; ++i) {
      OpenSession(*end, SessionOf(++client.number), "greedy");
    }
  }
}

}  // namespace tributary
