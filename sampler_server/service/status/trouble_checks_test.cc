#include "sampler_server/service/status/trouble_checks.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/status/trouble_advice.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Of a server that is well.
StatusInput Well() {
  StatusInput input;
  input.now = absl::UnixEpoch() + absl::Hours(1);
  input.memory_budget = 100'000'000;
  input.busy_ratio = 0.5;
  input.budgets = {{"leaf budget", 100, 89}};
  input.waits = {{"alpha", 0.3}};
  input.activity.resize(1);
  input.activity[0].job = "alpha";
  input.memory_wanted_since = input.now - absl::Milliseconds(500);
  input.facts.certificate_left = absl::Hours(24 * 16);
  input.graphs = {{"cora@b2", "layout", 4, {0, 1}, {2, 3}, false, ""}};
  return input;
}

struct Case {
  const char* code;
  std::function<void(StatusInput&)> harm;
  const char* text;
  uint64_t count;
};

std::vector<Case> Cases() {
  return {
      {"no_owner", [](auto& i) { i.graphs[0].elsewhere = {3}; },
       "1 of 4 partitions of cora@b2 have no owner that answers: 2", 0},
      {"server_silent",
       [](auto& i) {
         i.facts.silent_peers = {"b:1", "c:1"};
       },
       "2 servers do not answer: b:1, c:1", 0},
      {"graph_damaged",
       [](auto& i) {
         i.graphs[0].damage = "DATA_LOSS: x";
         i.graphs[0].elsewhere = {0, 1, 2, 3};
       },
       "cora@b2: DATA_LOSS: x", 0},
      {"disk_errors", [](auto& i) { i.recent[kDiskErrors] = 3; },
       "pieces of files that could not be read: 3", 3},
      {"batches_fail",
       [](auto& i) {
         i.activity[0].failed = 7;
         i.activity[0].last_error = "UNAVAILABLE: no";
       },
       "batches that failed, by job: alpha 7; the last error: UNAVAILABLE: no",
       7},
      {"policy_broken", [](auto& i) { i.facts.policy_broken = true; },
       "the policy's file cannot be read or parsed", 0},
      {"graphs_unserved", [](auto& i) { i.facts.graphs_unserved = 2; },
       "listed and not served: 2", 0},
      {"certificate_ends",
       [](auto& i) { i.facts.certificate_left = absl::Hours(75); },
       "this server's certificate ends in 3 days", 0},
      {"memory_waits",
       [](auto& i) {
         i.memory_wanted_since = i.now - absl::Seconds(3);
         i.memory_used = 97'000'000;
       },
       "a batch has waited 3 s for memory; in use are 97 MB of 100 MB", 0},
      {"budget_full",
       [](auto& i) {
         i.budgets = {{"leaf budget", 16'000'000, 15'200'000}};
       },
       "leaf budget 95% of 16 MB", 0},
      {"queue_full",
       [](auto& i) { i.recent[kRefusedQueue] = i.recent[kCreditsRefused] = 4; },
       "4 for want of a place", 4},
      {"credits_refused", [](auto& i) { i.recent[kCreditsRefused] = 4; },
       "4 for other reasons than a full queue", 4},
      {"callers_refused",
       [](auto& i) {
         i.recent[kRefusedPolicy] = 1;
         i.recent[kRefusedAttempt] = 2;
       },
       "1 policy, 2 attempt", 3},
      {"connections_refused",
       [](auto& i) {
         i.recent[kConnections + 1] = 5;
         i.recent[kNumCounted - 1] = 1;
       },
       "5 untrusted, 1 other", 6},
      {"streams_refused", [](auto& i) { i.recent[kStreamsOfCaller] = 2; },
       "2 caller_share", 2},
      {"streams_closed",
       [](auto& i) {
         i.recent[kHeldUp] = 2;
         i.recent[kUnread] = 1;
       },
       "2 held_up, 1 unread_answers", 3},
      {"peer_calls_fail", [](auto& i) { i.recent[kLeafErrors] = 2; },
       "2 requests answered by an error", 2},
      {"trainers_wait_busy",
       [](auto& i) {
         i.waits["alpha"] = 0.42;
         i.busy_ratio = 0.8;
       },
       "waiting for batches, by job: alpha 42%; this server is 80% busy", 0},
      {"trainers_wait", [](auto& i) { i.waits["alpha"] = 0.42; },
       "waiting for batches, by job: alpha 42%; this server is 50% busy", 0},
      {"draining",
       [](auto& i) {
         i.draining = true;
         i.active = 6;
       },
       "6 batches are left", 0},
  };
}

TEST(TroubleChecksTest, AServerThatIsWellHasNone) {
  EXPECT_THAT(FindTroubles(Well()), IsEmpty());
}

TEST(TroubleChecksTest, EachTroubleIsFoundAloneWithItsFigures) {
  for (const Case& c : Cases()) {
    StatusInput input = Well();
    c.harm(input);
    const std::vector<v1::Trouble> found = FindTroubles(input);
    ASSERT_THAT(found, SizeIs(1)) << c.code;
    EXPECT_EQ(found[0].code(), c.code);
    EXPECT_EQ(found[0].text(), c.text);
    EXPECT_EQ(found[0].count(), c.count) << c.code;
  }
}

// no_status is what those who look say.
TEST(TroubleChecksTest, EveryCodeHasACaseAndAdvice) {
  std::set<std::string> codes = {"no_status"};
  for (const Case& c : Cases()) codes.insert(c.code);
  std::set<std::string> advised;
  for (const TroubleKind& kind : AllTroubles()) {
    advised.insert(std::string(kind.code));
  }
  EXPECT_EQ(codes, advised);
}

TEST(TroubleChecksTest, TextsAreBounded) {
  StatusInput input = Well();
  for (int i = 0; i < 100; ++i) {
    input.activity.push_back(input.activity[0]);
    input.activity.back().job = std::string(256, 'j');
    input.activity.back().failed = 1;
    input.waits[std::string(256, static_cast<char>('a' + i % 26))] = 1;
    input.facts.silent_peers.push_back(std::string(100, 'h'));
  }
  for (const v1::Trouble& trouble : FindTroubles(input)) {
    EXPECT_LE(trouble.text().size(), 256u);
  }
}

TEST(TroubleChecksTest, WhatIsRetiredIsMissedByNobody) {
  StatusInput input = Well();
  input.graphs[0].retiring = true;
  input.graphs[0].elsewhere = {};
  EXPECT_THAT(FindTroubles(input), IsEmpty());
}

TEST(TroubleChecksTest, CertificatesThatHaveEndedSaySo) {
  StatusInput input = Well();
  input.facts.certificate_left = -absl::Seconds(1);
  EXPECT_EQ(FindTroubles(input)[0].text(),
            "this server's certificate has ended");
}

}  // namespace
}  // namespace tributary
