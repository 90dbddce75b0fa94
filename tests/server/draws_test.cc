// Weights, times, trees and LABOR through whole servers: the vectors of
// docs/sampling.md, whatever the partitions and whoever holds them.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Vector {
  std::string name;
  DrawOptions draws;
  std::vector<int64_t> inputs = {0, 3, 0, 6};
  std::vector<int64_t> input_time;
  std::string digest;
  ExpandMode expand = ExpandMode::kNew;
};

void PrintTo(const Vector& vector, std::ostream* out) { *out << vector.name; }

const std::vector<Vector>& Vectors() {
  static const auto& vectors = *new std::vector<Vector>{
      {.name = "Disjoint",
       .draws = {.disjoint = true},
       .digest =
           "fd0bf2ebdd26ed709e20425db48432f73672ba9f75a864fe3ad78a0c6f003d05"},
      {.name = "WeightedDisjoint",
       .draws = {.draw = DrawMode::kWeighted, .disjoint = true},
       .digest =
           "e97d3effd7b2b50b241d3c85ec77c8db83b97ae1e2034c86efc1ea8b4d9d844e"},
      {.name = "EdgeTime",
       .draws = {.time = TimeMode::kEdge, .input_time = InputTimeMode::kGiven},
       .input_time = {9, 6, 4, 9},
       .digest =
           "155e76d0a0ce715cde7e6625ee26c3285dbc4b71c101922da9819f74cb221ed9"},
      {.name = "EdgeTimeLastStrict",
       .draws = {.time = TimeMode::kEdge,
                 .temporal_strategy = TemporalStrategy::kLast,
                 .strict = true,
                 .input_time = InputTimeMode::kGiven},
       .input_time = {9, 8, 5, 9},
       .digest =
           "0ab16e9c7ecc7fadc6bf11fdc864d0bf659507ad0b6f11d4d8a1e6ceb505175f"},
      {.name = "NodeTimeOwn",
       .draws = {.time = TimeMode::kNode, .input_time = InputTimeMode::kOwn},
       .digest =
           "7d01fb71eb97ca989001935f5e9ea624640c4defec7219b6965b6712d85bc90a"},
      {.name = "Predicate",
       .draws = {.edge_predicates = *ParseEdgePredicates("edge_weight > 1")},
       .digest =
           "d754349a6ccc3d327fc6029abe290803170547ef3b83673032b2e3f48dc1659e"},
      {.name = "Labor",
       .draws = {.draw = DrawMode::kLabor, .layer_dependency = true},
       .inputs = {0, 3, 1, 6},
       .digest =
           "ccf0367be5f81941d8646162d269794ea95b75aae1c3955bd8dabfbb484a3a08",
       .expand = ExpandMode::kAll}};
  return vectors;
}

TrainerSession SessionOf(const SimServer& server, const Vector& vector) {
  SpecOptions options;
  options.num_neighbors = {2, 2};
  options.batch_size = 4;
  options.random_seed = 7;
  options.shuffle = ShuffleMode::kNone;
  options.expand = vector.expand;
  options.draws = vector.draws;
  return MakeSession(server.graph->schema(), options, vector.inputs,
                     vector.input_time);
}

class DrawsTest : public FleetFixture,
                  public testing::WithParamInterface<Vector> {};
INSTANTIATE_TEST_SUITE_P(Vectors, DrawsTest, testing::ValuesIn(Vectors()),
                         [](const auto& info) { return info.param.name; });

TEST_P(DrawsTest, AreTheSameForAnyPartitionsAndServers) {
  for (uint32_t partitions : {1, 2, 3, 5}) {
    for (uint32_t num_servers : {1u, std::min(partitions, 3u)}) {
      SCOPED_TRACE(absl::StrCat(partitions, " on ", num_servers));
      SimFleet fleet(partitions * 10 + num_servers);
      for (uint32_t s = 0; s < num_servers; ++s) {
        std::vector<uint32_t> mine;
        for (uint32_t p = s; p < partitions; p += num_servers) {
          mine.push_back(p);
        }
        fleet.Add({.opened = DrawVectorGraph(partitions, mine)});
      }
      fleet.Settle();
      for (uint32_t s = 0; s < num_servers; ++s) {
        auto trainer = Connect(fleet, s);
        const TrainerSession session = SessionOf(*fleet.servers[s], GetParam());
        trainer->Open(session);
        trainer->Ask(session, 0);
        Await(fleet, *trainer, 1);
        EXPECT_EQ(trainer->answer(0), "ready " + GetParam().digest);
      }
      RunFor(fleet, absl::Seconds(1));
      for (auto& server : fleet.servers) ExpectIdle(*server);
    }
  }
}

using DrawRefusalTest = FleetFixture;

TEST_F(DrawRefusalTest, InputTimesAreAsManyAsTheSpecificationSays) {
  SimFleet fleet(1);
  fleet.Add({.opened = DrawVectorGraph(1)});
  auto trainer = Connect(fleet);
  const TrainerSession timed = SessionOf(*fleet.servers[0], Vectors()[2]);
  const TrainerSession untimed = SessionOf(*fleet.servers[0], Vectors()[0]);
  trainer->Open(timed);
  trainer->Open(untimed);
  v1::Credit credit = ScriptedTrainer::MakeCredit(timed, 0, 4096, 1000);
  credit.mutable_input_time()->RemoveLast();
  trainer->Send(credit);
  credit = ScriptedTrainer::MakeCredit(untimed, 1, 4096, 1000);
  credit.clear_input_number();
  credit.clear_original_id();
  credit.add_input_number(0);
  credit.add_original_id(0);
  credit.add_input_time(5);
  trainer->Send(credit);
  Await(fleet, *trainer, 2);
  EXPECT_THAT(trainer->answer(0), AllOf(StartsWith("error INVALID_ARGUMENT"),
                                        HasSubstr("input times is 3")));
  EXPECT_THAT(trainer->answer(1), AllOf(StartsWith("error INVALID_ARGUMENT"),
                                        HasSubstr("gives inputs none")));
}

// The graph of the other vectors has neither weights nor times. What cannot be
// sampled is refused as the session opens.
TEST_F(DrawRefusalTest, WhatTheGraphDoesNotHaveIsNamed) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  const std::vector<std::string> words = {"",
                                          "draw: weighted",
                                          "time: edge",
                                          "time: edge",
                                          "input_time: own",
                                          "edge_predicate: 'edge_weight > 1'",
                                          "neighbours' original ids"};
  for (size_t i = 1; i < words.size(); ++i) {
    auto trainer = Connect(fleet);
    trainer->Open(SessionOf(*fleet.servers[0], Vectors()[i]));
    fleet.world.RunUntil([&] { return trainer->closed(); }, absl::Seconds(1));
    EXPECT_EQ(trainer->why_closed().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(trainer->why_closed().message()),
                AllOf(HasSubstr(words[i]), HasSubstr("allowed: ")))
        << Vectors()[i].name;
  }
}

}  // namespace
}  // namespace tributary
