#include "cli/fleet/missing_owners.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

ServerReport Report(std::vector<uint32_t> partitions, uint8_t graph = 0xAB,
                    uint32_t num_partitions = 4) {
  ServerReport report;
  report.schema.name = "g";
  report.schema.num_partitions = num_partitions;
  report.schema.content_digest[0] = graph;
  report.schema.layout_digest[0] = graph;
  report.partitions = std::move(partitions);
  return report;
}

ServerAnswer Server(int n, absl::StatusOr<std::vector<ServerReport>> reports) {
  return {{"10.0.0." + std::to_string(n), 1}, std::move(reports), {}};
}

ServerAnswer Drains(ServerAnswer answer) {
  for (ServerReport& report : *answer.reports) report.draining = true;
  return answer;
}

const absl::Status kRefused =
    absl::UnavailableError("10.0.0.3:1: Connection refused");

TEST(MissingOwnersTest, NothingOnceEveryPartitionHasAnOwner) {
  EXPECT_EQ(MissingOwners(
                {Server(1, {{Report({0, 1})}}), Server(2, {{Report({2, 3})}})}),
            "");
  // Servers beyond those that are needed may be silent or drain.
  EXPECT_EQ(
      MissingOwners({Server(1, {{Report({0, 1, 2, 3})}}), Server(2, kRefused),
                     Drains(Server(3, {{Report({0})}}))}),
      "");
}

TEST(MissingOwnersTest, NamesPartitionsAndServersWithTheReason) {
  EXPECT_EQ(
      MissingOwners({Server(1, {{Report({0})}}),
                     Drains(Server(2, {{Report({1, 2})}})),
                     Server(3, kRefused)}),
      "no server owns partition 1,2,3 of 4 of graph g@ab0000000000: 10.0.0.1:1 "
      "(partitions 0), 10.0.0.2:1 (draining), 10.0.0.3:1 (connection refused)");
}

TEST(MissingOwnersTest, NobodyAnswers) {
  EXPECT_EQ(
      MissingOwners({Server(1, kRefused),
                     Server(2, absl::DeadlineExceededError("no answer"))}),
      "no server answers: 10.0.0.1:1 (connection refused), 10.0.0.2:1 (no "
      "answer)");
}

TEST(MissingOwnersTest, AWholeGraphOfSeveralSuffices) {
  EXPECT_EQ(MissingOwners({Server(1, {{Report({0, 1, 2, 3}), Report({0}, 1)}}),
                           Server(2, {{Report({0, 1, 2, 3})}})}),
            "");
}

TEST(MissingOwnersTest, OfSeveralGraphsTheOneThatLacksLeast) {
  EXPECT_EQ(MissingOwners({Server(1, {{Report({0}), Report({0, 1, 2}, 1)}}),
                           Server(2, {{Report({1})}})}),
            "no server owns partition 3 of 4 of graph g@010000000000: "
            "10.0.0.1:1 (partitions 0,1,2), 10.0.0.2:1 (holds other graphs)");
}

// Two layouts of one graph do not complete each other.
TEST(MissingOwnersTest, AnotherPartitioningDoesNotCount) {
  EXPECT_EQ(MissingOwners({Server(1, {{Report({0}, 1, 2)}}),
                           Server(2, {{Report({1}, 2, 2)}})}),
            "no server owns partition 0 of 2 of graph g@020000000000: "
            "10.0.0.1:1 (holds other graphs), 10.0.0.2:1 (partitions 1)");
}

TEST(MissingOwnersTest, NamesTheFirstFewOfMany) {
  std::vector<ServerAnswer> answers;
  for (int n = 1; n <= 6; ++n) answers.push_back(Server(n, kRefused));
  answers[0] = Server(1, {{Report({0}, 1, 20)}});
  EXPECT_EQ(MissingOwners(answers),
            "no server owns partition 1,2,3,4,5,6,7,8,9,10,11,12,7 more of 20 "
            "of graph g@010000000000: 10.0.0.1:1 (partitions 0), 10.0.0.2:1 "
            "(connection refused), 10.0.0.3:1 (connection refused), 10.0.0.4:1 "
            "(connection refused), 2 more");
}

}  // namespace
}  // namespace tributary
