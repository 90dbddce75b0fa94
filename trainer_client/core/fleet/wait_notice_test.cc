#include "trainer_client/core/fleet/wait_notice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WaitReporterTest : public testing::Test {
 protected:
  void Update(double seconds, const std::string& reason = "nobody") {
    reporter_.Update(absl::Seconds(seconds), absl::Seconds(180), [&] {
      ++asked_;
      return reason;
    });
  }

  std::vector<std::string> notices_;
  int asked_ = 0;
  WaitReporter reporter_{[this](const WaitNotice& notice) {
    notices_.push_back(notice.reason.empty()
                           ? "end"
                           : notice.reason + " " +
                                 absl::FormatDuration(notice.left));
  }};
};

TEST_F(WaitReporterTest, ReportsAfterTwoSecondsThenEverySecondThenTheEnd) {
  for (double at : {0.02, 1.99}) Update(at);
  EXPECT_EQ(asked_, 0);
  for (double at : {2.0, 2.5, 2.98, 3.0, 3.5}) Update(at);
  EXPECT_THAT(notices_, ElementsAre("nobody 2m58s", "nobody 2m57s"));
  EXPECT_EQ(asked_, 2);
  reporter_.End();
  reporter_.End();
  EXPECT_THAT(notices_, ElementsAre("nobody 2m58s", "nobody 2m57s", "end"));
  // The next wait starts over.
  notices_.clear();
  Update(1.9);
  EXPECT_THAT(notices_, IsEmpty());
  Update(2);
  EXPECT_THAT(notices_, ElementsAre("nobody 2m58s"));
}

TEST_F(WaitReporterTest, AWaitWithoutAReasonIsNotReported) {
  Update(2, "");
  reporter_.End();
  EXPECT_THAT(notices_, IsEmpty());
  // A reason that has gone ends the notice, though not the wait.
  Update(2);
  Update(3, "");
  EXPECT_THAT(notices_, ElementsAre("nobody 2m58s", "end"));
}

TEST(DescribeMissingTest, SaysWhyNobodyAnswers) {
  const absl::Status refused = absl::UnavailableError(
      "a:1: failed to connect to all addresses; last error: UNKNOWN: "
      "ipv4:127.0.0.1:1: Failed to connect to remote host: Connection refused");
  const absl::Status unknown = absl::UnavailableError(
      "b:2: DNS resolution failed for b:2: C-ares status is not ARES_SUCCESS");
  std::vector<ServerState> servers = {{"a:1", false, refused, {}},
                                      {"b:2", false, unknown, {}}};
  EXPECT_EQ(DescribeMissing(servers, 0, absl::OkStatus()),
            "no server answers: a:1 (connection refused), b:2 (name not "
            "found)");
  servers.resize(5, servers[0]);
  EXPECT_EQ(DescribeMissing(servers, 0, absl::OkStatus()),
            "no server answers: a:1 (connection refused), b:2 (name not "
            "found), a:1 (connection refused), 2 more");
  EXPECT_EQ(DescribeMissing({}, 0, absl::OkStatus()), "no server is listed");
  EXPECT_EQ(DescribeMissing({}, 0, absl::NotFoundError("file x")),
            "no server is known: NOT_FOUND: file x");
}

TEST(DescribeMissingTest, NamesPartitionsWithoutAnOwner) {
  std::vector<ServerState> servers = {
      {"a:1", true, absl::OkStatus(), {0, 1}},
      {"b:2", false, absl::DeadlineExceededError("late"), {2}},
      {"c:3", true, absl::OkStatus(), {1}}};
  EXPECT_EQ(DescribeMissing(servers, 4, absl::OkStatus()),
            "no server that answers owns partition 2,3 of 4: a:1 (partitions "
            "0,1), c:3 (partitions 1)");
  servers[1].up = true;
  servers[2].partitions = {3};
  EXPECT_EQ(DescribeMissing(servers, 4, absl::OkStatus()), "");
  // The number of partitions is learned from the first server.
  EXPECT_EQ(DescribeMissing(servers, 0, absl::OkStatus()), "");
}

}  // namespace
}  // namespace tributary
