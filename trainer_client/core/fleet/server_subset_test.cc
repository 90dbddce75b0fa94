#include "trainer_client/core/fleet/server_subset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Address AddressOf(int i) { return {"server" + std::to_string(i), 1}; }

std::vector<SubsetCandidate> OrderOf(int client, int num_servers) {
  std::vector<SubsetCandidate> candidates;
  for (int i = 0; i < num_servers; ++i) {
    candidates.push_back(
        {.score = SubsetScore("job/" + std::to_string(client), AddressOf(i))});
  }
  return candidates;
}

TEST(ServerSubset, TakesTheFirstOfTheOrder) {
  const std::vector<SubsetCandidate> candidates = {
      {.score = 1}, {.score = 4}, {.score = 3}, {.score = 2}};
  EXPECT_THAT(ChooseSubset(candidates, 2, 0), ElementsAre(1, 2));
  EXPECT_THAT(ChooseSubset(candidates, 9, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ChooseSubset({}, 2, 0), IsEmpty());
}

TEST(ServerSubset, OwnServersComeFirstAndUnusableOnesNever) {
  std::vector<SubsetCandidate> candidates = {
      {.score = 1, .own = true}, {.score = 4}, {.score = 3}, {.score = 2}};
  EXPECT_THAT(ChooseSubset(candidates, 2, 0), ElementsAre(0, 1));
  candidates[1].usable = false;
  EXPECT_THAT(ChooseSubset(candidates, 2, 0), ElementsAre(0, 2));
}

TEST(ServerSubset, HoldsAnOwnerOfEachPartition) {
  const std::vector<SubsetCandidate> candidates = {
      {.score = 9, .partitions = {0}},
      {.score = 8, .partitions = {0}},
      {.score = 7, .partitions = {0, 1}},
      {.score = 6, .partitions = {2}},
      {.score = 5, .partitions = {2}}};
  EXPECT_THAT(ChooseSubset(candidates, 3, 3), ElementsAre(0, 2, 3));
  EXPECT_THAT(ChooseSubset(candidates, 1, 3), ElementsAre(0, 2, 3));
  EXPECT_THAT(ChooseSubset(candidates, 4, 3), ElementsAre(0, 1, 2, 3));
}

TEST(ServerSubset, AsksOneMoreServerWhileAPartitionHasNoKnownOwner) {
  const std::vector<SubsetCandidate> candidates = {
      {.score = 9, .partitions = {0}}, {.score = 8}, {.score = 7}};
  EXPECT_THAT(ChooseSubset(candidates, 1, 2), ElementsAre(0, 1));
  EXPECT_THAT(ChooseSubset(candidates, 1, 1), ElementsAre(0));
}

// 512 clients with 16 of 64 servers each are 128 of each in the mean.
TEST(ServerSubset, ClientsAreSpreadEvenly) {
  std::map<size_t, int> clients;
  for (int c = 0; c < 512; ++c) {
    for (const size_t i : ChooseSubset(OrderOf(c, 64), 16, 0)) ++clients[i];
  }
  ASSERT_EQ(clients.size(), 64);
  for (const auto& [server, n] : clients) {
    EXPECT_GT(n, 85) << server;
    EXPECT_LT(n, 171) << server;
  }
}

// A server more changes at most one of each client's.
TEST(ServerSubset, LittleChangesWithTheList) {
  int changed = 0;
  for (int c = 0; c < 100; ++c) {
    const auto before = ChooseSubset(OrderOf(c, 64), 16, 0);
    const auto after = ChooseSubset(OrderOf(c, 65), 16, 0);
    const std::set<size_t> kept(before.begin(), before.end());
    int lost = 16;
    for (const size_t i : after) lost -= static_cast<int>(kept.count(i));
    EXPECT_LE(lost, 1);
    changed += lost;
  }
  EXPECT_GT(changed, 10);  // 16 / 65 of them
  EXPECT_LT(changed, 45);
}

}  // namespace
}  // namespace tributary
