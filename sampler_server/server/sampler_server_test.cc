#include "sampler_server/server/sampler_server.h"

#include <cstdint>
#include <fstream>
#include <string>

#include "common/process/memory_limit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// The second has what memory the first leaves, as one has that comes later.
TEST(SamplerServer, GraphsThatItStartsWithShareItsMemory) {
  const TemporaryFolder folder;
  SamplerServerOptions options;
  for (const char* name : {"monday", "tuesday"}) {
    GraphSpec spec{.name = name, .num_nodes = 64, .edges = {{0, 1}}};
    spec.x_dim = 256;
    spec.x.resize(static_cast<size_t>(spec.num_nodes * spec.x_dim));
    options.graphs.push_back({folder.File(name), {}});
    WriteGraphTo(spec, folder.File(name));
  }
  const auto graph = Graph::Open(options.graphs[0].folder).value();
  const GraphBytes one = GraphBytesOf(graph->schema(), {0});
  const uint64_t total = ReadMemoryLimit().value().total;
  constexpr uint64_t kForPeers = 128 << 20;  // the most there is
  const auto start_with = [&](uint64_t bytes_of_graphs) {
    options.memory_budget = total - kForPeers - bytes_of_graphs;
    return SamplerServer::Start(options).status();
  };
  const uint64_t features_of_one = one.features + 2 * one.rest;
  EXPECT_TRUE(start_with(features_of_one).ok());
  const absl::Status refused = start_with(features_of_one - 1);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("of memory are left"));
}

TEST(SamplerServer, APolicyIsReadAtTheStart) {
  const TemporaryFolder folder;
  SamplerServerOptions options;
  GraphSpec spec{.name = "g", .num_nodes = 64, .edges = {{0, 1}}};
  WriteGraphTo(spec, folder.File("g"));
  options.graphs.push_back({folder.File("g"), {}});
  options.policy_file = folder.File("policy.json");
  EXPECT_EQ(SamplerServer::Start(options).status().code(),
            absl::StatusCode::kNotFound);
  std::ofstream(options.policy_file) << R"({"job": {}})";
  const absl::Status refused = SamplerServer::Start(options).status();
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("policy.json: there is no key jobs"));
  std::ofstream(options.policy_file) << R"({"jobs": {}})";
  EXPECT_TRUE(SamplerServer::Start(options).ok());
}

}  // namespace
}  // namespace tributary
