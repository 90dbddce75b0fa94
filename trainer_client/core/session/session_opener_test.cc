// Opening a session beside servers that lie about the graph and its splits.
#include "trainer_client/core/session/session_opener.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

constexpr int64_t kNodes = 40;
constexpr absl::Duration kTimeout = absl::Seconds(30);

GraphSchema MakeSchema(int64_t num_nodes = kNodes) {
  GraphSpec spec;
  spec.num_nodes = num_nodes;
  spec.edges = {{1, 0}, {2, 1}};
  for (int64_t i = 0; i < 25; ++i) spec.splits["train"].push_back(39 - i);
  return BuildGraph(spec)->schema();
}

// Servers with the same graph, in a simulation.
class SessionOpenerTest : public testing::Test {
 protected:
  void Serve(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      FakeSampler::Settings settings;
      settings.node = world_.AddNode("server" + std::to_string(i));
      settings.executor = settings.node;
      settings.incarnation = i + 1;
      settings.graph_json = MakeSchema().ToJson();
      for (int64_t id = 0; id < 25; ++id) settings.split_ids.push_back(39 - id);
      settings.page_ids = 7;
      servers_.push_back(std::make_unique<FakeSampler>(std::move(settings)));
      Listen(i);
    }
  }
  Address AddressOf(size_t i) const {
    return {"server" + std::to_string(i), 1};
  }
  void Listen(size_t i) {
    network_.Listen(servers_[i]->settings().node, AddressOf(i),
                    servers_[i].get());
  }
  FakeSampler::Settings& server(size_t i) { return servers_[i]->settings(); }

  absl::StatusOr<OpenedSession> Open() {
    ServerFleetOptions options;
    for (size_t i = 0; i < servers_.size(); ++i) {
      options.source.addresses.push_back(AddressOf(i));
    }
    options.link.transport = network_.TransportOf(trainer_);
    options.link.strand = strand_;
    options.link.client_name = "test";
    options.link.call_timeout = absl::Seconds(5);
    auto fleet = std::make_shared<ServerFleet>(options);
    SessionOptions session;
    session.kind = NeighborOptions{.num_neighbors = {2}};
    session.input_split = "train";
    session.batch_size = 4;
    auto opener = std::make_shared<SessionOpener>(session, strand_);
    std::optional<absl::StatusOr<OpenedSession>> opened;
    const absl::Time began = world_.now();
    strand_->Post([&] {
      opener->Open(fleet, kTimeout,
                   [&opened](auto result) { opened = std::move(result); });
    });
    EXPECT_TRUE(world_.RunUntil([&] { return opened.has_value(); },
                                kTimeout + absl::Seconds(1)));
    took_ = world_.now() - began;
    bool closed = false;
    strand_->Post([&] { fleet->Close([&closed] { closed = true; }); });
    world_.RunUntil([&] { return closed; }, absl::Minutes(1));
    return opened.has_value() ? *std::move(opened)
                              : absl::InternalError("no end");
  }
  // The session is of the honest servers' graph, with all inputs.
  void ExpectHonestSession() {
    const auto opened = Open();
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(opened->schema.node_types[0].num_nodes, kNodes);
    EXPECT_EQ(opened->schema.content_digest, MakeSchema().content_digest);
    const std::vector<int64_t>& ids = *opened->session.input_ids;
    ASSERT_EQ(ids.size(), 25u);
    for (int64_t i = 0; i < 25; ++i) EXPECT_EQ(ids[i], 39 - i);
  }

  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  const std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(trainer_);
  std::vector<std::unique_ptr<FakeSampler>> servers_;
  absl::Duration took_;
};

TEST_F(SessionOpenerTest, TheLengthOfASplitIsThatOfTheGraph) {
  Serve(1);
  size_t values = 0;
  server(0).change_page = [&values](v1::GetInputIdsReply* reply,
                                    std::vector<int64_t>* ids) {
    reply->set_total(uint64_t{1} << 62);
    ids->assign(1000, 3);
    values += ids->size();
  };
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_NE(
      status.message().find("server server0:1, which alone says so: split "
                            "train has 25 values by graph.json"),
      std::string::npos)
      << status;
  EXPECT_EQ(values, 1000u);
}

TEST_F(SessionOpenerTest, AWrongPageOfOneServerEndsNothing) {
  using Ids = std::vector<int64_t>;
  const std::vector<std::function<void(v1::GetInputIdsReply*, Ids*)>> lies = {
      [](auto* reply, Ids*) { reply->set_total(24); },
      [](auto* reply, Ids*) { reply->set_total(uint64_t{1} << 62); },
      [](auto* reply, Ids*) { reply->set_total(0); },
      [](auto*, Ids* ids) { ids->clear(); },
      [](auto*, Ids* ids) { ids->resize(26); },
      [](auto*, Ids* ids) { ids->front() = kNodes; },
      [](auto*, Ids* ids) { ids->back() = -1; },
  };
  Serve(2);
  for (const auto& lie : lies) {
    server(0).change_page = lie;
    ExpectHonestSession();
  }
}

TEST_F(SessionOpenerTest, ARefusedPageOfOneServerEndsNothing) {
  Serve(2);
  for (int code = 1; code <= 16; ++code) {
    SCOPED_TRACE(code);
    server(0).refuse_pages =
        absl::Status(static_cast<absl::StatusCode>(code), "so it says");
    ExpectHonestSession();
  }
}

TEST_F(SessionOpenerTest, WhatAllServersRefuseIsAnErrorAtOnce) {
  Serve(3);
  for (size_t i = 0; i < 3; ++i) {
    server(i).refuse_pages = absl::PermissionDeniedError("not for you");
  }
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(status.message().find(":1: not for you"), std::string::npos)
      << status;
  EXPECT_LT(took_, absl::Seconds(1));
}

// A list of a thousand million ids would take for ever in pages of one.
TEST_F(SessionOpenerTest, AServerWithSmallPagesIsAskedLittle) {
  Serve(2);
  for (int64_t i = 0; i < 2; ++i) server(i).page_ids = 5;
  int small = 0;
  server(0).change_page = [&small](auto*, std::vector<int64_t>* ids) {
    ids->resize(1);
    ++small;
  };
  ExpectHonestSession();
  EXPECT_LE(small, 2);
}

// The liar is the first of the list, and the first to answer.
TEST_F(SessionOpenerTest, OneServerDoesNotDecideWhichGraphItIs) {
  Serve(3);
  server(0).graph_json = MakeSchema(kNodes + 1).ToJson();
  for (size_t i = 1; i < 3; ++i) {
    const int node = server(i).node->node();
    world_.Freeze(node);
    world_.Schedule(-1, world_.now() + absl::Milliseconds(400),
                    [this, node] { world_.Thaw(node); });
  }
  ExpectHonestSession();
}

// The same content digest, and the text of another graph.
TEST_F(SessionOpenerTest, OneServerDoesNotDecideWhatTheGraphIs) {
  Serve(3);
  GraphSchema forged = MakeSchema();
  forged.node_types[0].num_nodes = 1 << 20;
  forged.node_types[0].base.back() = 1 << 20;
  server(0).graph_json = forged.ToJson();
  ExpectHonestSession();
}

// Two machines that made the same graph by other command lines agree.
TEST_F(SessionOpenerTest, TextsThatDifferInWhoMadeThemAreTheSame) {
  Serve(2);
  GraphSchema other = MakeSchema();
  other.made_by = "tributary partition on another machine";
  server(1).graph_json = other.ToJson();
  ExpectHonestSession();
}

TEST_F(SessionOpenerTest, TwoServersThatContradictEachOtherAreBothNamed) {
  Serve(2);
  server(0).graph_json = MakeSchema(kNodes + 1).ToJson();
  absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  for (const char* part : {"server server0:1 has test@",
                           "server server1:1 has "
                           "test@",
                           "--graph-name"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status;
  }
  EXPECT_LT(took_, absl::Seconds(6));
  GraphSchema forged = MakeSchema();
  forged.node_types[0].num_nodes = 1 << 20;
  forged.node_types[0].base.back() = 1 << 20;
  server(0).graph_json = forged.ToJson();
  status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("differently, and no two the same: "
                                  "server0:1, server1:1"),
            std::string::npos)
      << status;
}

// More than any fleet has.
TEST_F(SessionOpenerTest, ADescriptionIsBounded) {
  Serve(2);
  server(0).change_description = [](v1::DescribeReply* reply) {
    for (uint32_t i = 0; i < 200'000; ++i) reply->add_partitions(i);
  };
  ExpectHonestSession();
  server(0).change_description = [](v1::DescribeReply* reply) {
    for (int i = 0; i < 100'000; ++i) reply->add_peers()->set_healthy(true);
  };
  ExpectHonestSession();
}

}  // namespace
}  // namespace tributary
