#include "sampler_server/peers/testing/scripted_peer.h"

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

std::shared_ptr<const Graph> SmallGraph() {
  static const auto* const graph = [] {
    constexpr int kNodes = 2048;
    GraphSpec spec;
    spec.num_nodes = kNodes;
    spec.num_partitions = 2;
    spec.x_dim = 2;
    for (int i = 0; i < kNodes; ++i) {
      spec.edges.push_back({i, i / 1024});
      spec.x.insert(spec.x.end(), {i + 0.0F, i + 0.5F});
      spec.y.push_back(i);
      spec.edge_attr.push_back(static_cast<float>(i));
    }
    return new std::shared_ptr<const Graph>(BuildGraph(spec));
  }();
  return *graph;
}

PeerDirectoryOptions WithSchema(PeerDirectoryOptions options) {
  options.schema = SmallGraph()->schema();
  options.own_incarnation = 1;
  return options;
}

}  // namespace

std::shared_ptr<StreamHandler> ScriptedPeer::Accept(
    StreamMethod method, CallerPtr caller, std::shared_ptr<Stream> stream,
    absl::Status* /*why*/) {
  ++(method == StreamMethod::kLeaf ? num_leaf_streams : num_control_streams);
  return ServeCalls(std::move(stream), std::move(caller),
                    [this, method](IncomingCall call, CallResponder respond) {
                      if (method == StreamMethod::kLeaf) {
                        Leaf(std::move(call), std::move(respond));
                      } else {
                        Describe(std::move(call), std::move(respond));
                      }
                    });
}

void ScriptedPeer::Describe(IncomingCall call, CallResponder respond) {
  ++num_described;
  describe_header = std::move(call.header);
  if (!answers_describe) return unanswered_.push_back(std::move(respond));
  if (!describe_error.ok()) return respond(describe_error);
  respond(CallAnswer{MessageKind::kDescribeReply,
                     raw_description.empty() ? description.SerializeAsString()
                                             : raw_description});
}

void ScriptedPeer::Leaf(IncomingCall call, CallResponder respond) {
  const auto payload = call.payload.span();
  calls.push_back({call.kind, std::move(call.header),
                   std::string(payload.begin(), payload.end()), call.cancel});
  if (!answer) return unanswered_.push_back(std::move(respond));
  respond(answer(calls.back()));
}

CallAnswer MakeAnswer(MessageKind kind, std::string header,
                      std::string payload) {
  auto owner = std::make_shared<const std::string>(std::move(payload));
  CallAnswer answer{kind, std::move(header)};
  answer.payload = {reinterpret_cast<const uint8_t*>(owner->data()),
                    owner->size()};
  answer.payload_owner = std::move(owner);
  return answer;
}

PeerWorld::PeerWorld(PeerDirectoryOptions options)
    : graph_(SmallGraph()),
      strand_(std::make_shared<Strand>(server_)),
      directory_(std::make_shared<PeerDirectory>(WithSchema(std::move(options)),
                                                 network_.TransportOf(server_),
                                                 server_)) {}

PeerWorld::~PeerWorld() {
  bool stopped = false;
  directory_->Stop([&stopped] { stopped = true; });
  EXPECT_TRUE(world_.Drain(1'000'000));
  EXPECT_TRUE(stopped);
}

ScriptedPeer& PeerWorld::Add(std::vector<uint32_t> partitions) {
  ScriptedPeer& peer = *peers_.emplace_back(std::make_unique<ScriptedPeer>());
  v1::DescribeReply& description = peer.description;
  description.set_wire_version(kWireVersion);
  description.set_graph_json(graph_->schema_json());
  description.set_incarnation(100 + peers_.size());
  for (uint32_t p : partitions) description.add_partitions(p);
  network_.Listen(peers_node_, AddressOf(peers_.size() - 1), &peer);
  return peer;
}

Address PeerWorld::AddressOf(size_t peer) const {
  return {absl::StrCat("peer", peer), 1};
}

void PeerWorld::List(const std::vector<size_t>& peers) {
  std::vector<Address> addresses;
  for (size_t peer : peers) addresses.push_back(AddressOf(peer));
  directory_->SetListed(addresses);
  RunFor(absl::Milliseconds(10));
}

void PeerWorld::Introduce() {
  std::vector<size_t> all;
  for (size_t i = 0; i < peers_.size(); ++i) all.push_back(i);
  List(all);
  ASSERT_TRUE(RunUntil([&] { return Healthy().size() == peers_.size(); }));
}

void PeerWorld::RunFor(absl::Duration time) {
  bool due = false;
  world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
  ASSERT_TRUE(world_.RunUntil([&due] { return due; }, time + absl::Seconds(1)));
}

bool PeerWorld::RunUntil(const std::function<bool()>& done) {
  return world_.RunUntil(done, absl::Minutes(1));
}

size_t PeerWorld::num_calls() const {
  size_t calls = 0;
  for (const auto& peer : peers_) calls += peer->calls.size();
  return calls;
}

std::vector<std::string> PeerWorld::Healthy() const {
  std::vector<std::string> healthy;
  for (const v1::PeerState& state : directory_->States()) {
    if (state.healthy()) healthy.push_back(state.address());
  }
  return healthy;
}

}  // namespace tributary
