// Graphs that come to a server one after the other, and the memory they share.
#include "sampler_server/server/graph_host.h"

#include <memory>
#include <string>
#include <vector>

#include "common/process/memory_limit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Graphs of one size; `one_graph_` is what each takes.
class GraphHostTest : public testing::Test {
 protected:
  GraphHostTest()
      : server_(fleet_.Add({.graph = Spec("first")})),
        one_graph_(GraphBytesOf(server_.graph->schema(), {0})) {}
  ~GraphHostTest() override {
    if (host_ != nullptr) host_->Stop([] {});
  }

  static GraphSpec Spec(const std::string& name) {
    GraphSpec spec{.name = name, .num_nodes = 64, .edges = {{0, 1}}};
    spec.x_dim = 256;
    spec.x.resize(static_cast<size_t>(spec.num_nodes * spec.x_dim));
    return spec;
  }
  ListedGraph Written(const std::string& name) {
    const ListedGraph source{folder_.File(name), {}};
    WriteGraphTo(Spec(name), source.folder);
    return source;
  }
  // Graphs may take `bytes` in all.
  void HostWith(uint64_t bytes) {
    GraphHostOptions options;
    options.reserved_bytes = ReadMemoryLimit().value().total - bytes;
    host_ = std::make_unique<GraphHost>(
        options, fleet_.network.TransportOf(server_.executor), server_.executor,
        &metrics_);
  }
  absl::Status Serve(const ListedGraph& source) {
    auto graph = host_->Open(source);
    if (!graph.ok()) return graph.status();
    return host_->Serve(source, *std::move(graph), *server_.service);
  }
  bool IsPaged(const ListedGraph& source) {
    return host_->Open(source).value().graph->reads_features();
  }

  const TemporaryFolder folder_;
  SimFleet fleet_{1};
  SimServer& server_;
  const GraphBytes one_graph_;
  Metrics metrics_;
  std::unique_ptr<GraphHost> host_;
};

TEST_F(GraphHostTest, MemoryOfServedGraphsIsNotOfferedUntilTheyAreLetGo) {
  // For one with its features and another without.
  HostWith(one_graph_.features + 2 * one_graph_.rest + one_graph_.features / 2);
  const ListedGraph monday = Written("monday"), tuesday = Written("tuesday");
  EXPECT_FALSE(IsPaged(monday));
  EXPECT_FALSE(IsPaged(tuesday));
  ASSERT_TRUE(Serve(monday).ok());
  EXPECT_TRUE(IsPaged(tuesday));

  host_->Retire(monday, server_.executor->Now(), *server_.service);
  EXPECT_TRUE(host_->served().empty());
  EXPECT_TRUE(IsPaged(tuesday)) << "monday is mapped still";
  EXPECT_TRUE(fleet_.world.RunUntil([&] { return !IsPaged(tuesday); },
                                    absl::Seconds(10)));
}

TEST_F(GraphHostTest, WhatDoesNotFitEvenWithoutFeaturesIsNotServed) {
  HostWith(one_graph_.features + 2 * one_graph_.rest - 1);
  const ListedGraph monday = Written("monday"), tuesday = Written("tuesday");
  ASSERT_TRUE(Serve(monday).ok());
  const absl::Status refused = Serve(tuesday);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("of memory are left"));
  EXPECT_EQ(host_->served(), std::vector<ListedGraph>{monday});
}

TEST_F(GraphHostTest, OpeningIsGivenUpAtTheEnd) {
  HostWith(1 << 30);
  const ListedGraph monday = Written("monday");
  EXPECT_TRUE(host_->Open(monday).ok());
  host_->CancelOpening();
  const absl::Status given_up = host_->Open(monday).status();
  EXPECT_EQ(given_up.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(given_up.message()), HasSubstr(monday.folder));
}

TEST_F(GraphHostTest, PagedFeaturesTakeNoMemory) {
  HostWith(one_graph_.features / 2 + 3 * one_graph_.rest);
  for (const char* name : {"monday", "tuesday", "wednesday"}) {
    const ListedGraph source = Written(name);
    EXPECT_TRUE(IsPaged(source)) << name;
    EXPECT_TRUE(Serve(source).ok()) << name;
  }
  EXPECT_EQ(host_->served().size(), 3u);
}

}  // namespace
}  // namespace tributary
