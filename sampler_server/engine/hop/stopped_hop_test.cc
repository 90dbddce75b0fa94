// Hops over hubs look often enough at whether they should stop.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "common/runtime/cpu_meter.h"
#include "common/runtime/stop_check.h"
#include "gtest/gtest.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

constexpr uint64_t kDegree = 2'000'000;  // of each of the rows: a hub repeated
constexpr size_t kRows = 3;
constexpr absl::Duration kMostBetween = absl::Milliseconds(50);

// Measures the CPU time between looks.
class LookClock final : public Clock {
 public:
  absl::Time Now() const override {
    const absl::Duration now = ThreadCpuTime();
    longest = std::max(longest, now - last);
    last = now;
    ++looks;
    return absl::UnixEpoch();
  }
  mutable absl::Duration last = ThreadCpuTime(), longest;
  mutable int looks = 0;
};

struct Case {
  std::string name;
  std::function<void(HopQuery&)> change;
};

const HopRows& Hubs() {
  static const HopRows* const hubs = [] {
    auto* rows = new HopRows(std::vector<uint64_t>(kRows, kDegree));
    const uint64_t n = rows->num_edges();
    std::vector<double> weights(n);
    std::vector<int64_t> times(n);
    std::vector<uint64_t> ids(n);
    std::vector<float> attributes(2 * n);
    for (uint64_t i = 0; i < n; ++i) {
      weights[i] = static_cast<double>(i % 3);
      times[i] = static_cast<int64_t>(i * 7919 % 1000);
      ids[i] = i;
    }
    rows->SetWeights(weights);
    rows->SetEdgeTimes(times);
    rows->SetNeighborIds(ids);
    rows->SetAttributes(attributes);
    return rows;
  }();
  return *hubs;
}

class StoppedHopTest : public testing::TestWithParam<Case> {
 protected:
  StoppedHopTest() {
    query_ = asked_.Query(10, false);
    query_.time_bound = {};
    GetParam().change(query_);
    if (query_.time != TimeMode::kNone) query_.time_bound = bounds_;
  }
  absl::Status Sample(StopCheck* stop) {
    query_.stop = stop;
    return SampleHop(Hubs().view(), Hubs().num_edges(), query_, &out_);
  }

  const AskedNodes asked_{kRows};
  const std::vector<int64_t> bounds_ = std::vector<int64_t>(kRows, 990);
  HopQuery query_;
  HopEdges out_;
};

TEST_P(StoppedHopTest, LooksOftenAndStopsSoon) {
  (void)Hubs();  // made before the clock starts
  LookClock clock;
  StopCheck never({}, absl::InfiniteFuture(), &clock);
  ASSERT_TRUE(Sample(&never).ok());
  (void)clock.Now();
  EXPECT_LT(clock.longest, kMostBetween) << clock.looks << " looks";
  EXPECT_GT(clock.looks, kDegree * kRows / StopCheck::kEvery / 2);

  CancelToken cancel;
  cancel.Cancel();
  StopCheck stopped(cancel, absl::InfiniteFuture(), nullptr);
  const absl::Duration before = ThreadCpuTime();
  EXPECT_EQ(Sample(&stopped).code(), absl::StatusCode::kCancelled);
  EXPECT_LT(ThreadCpuTime() - before, kMostBetween);
}

// A check that never stops changes nothing.
TEST_P(StoppedHopTest, ACheckChangesNoDraw) {
  ASSERT_TRUE(Sample(nullptr).ok());
  const HopEdges without = out_;
  StopCheck never({}, absl::InfiniteFuture(), nullptr);
  ASSERT_TRUE(Sample(&never).ok());
  EXPECT_EQ(out_.counts, without.counts);
  EXPECT_TRUE(out_.neighbors == without.neighbors);
  EXPECT_TRUE(out_.edge_ids == without.edge_ids);
}

INSTANTIATE_TEST_SUITE_P(
    Draws, StoppedHopTest,
    testing::Values(
        Case{"All", [](HopQuery& q) { q.fanout = -1; }},
        Case{"Labor", [](HopQuery& q) { q.draw = DrawMode::kLabor; }},
        Case{"AllPositiveWeights",
             [](HopQuery& q) {
               q.draw = DrawMode::kWeighted;
               q.fanout = -1;
             }},
        Case{"AllInTime",
             [](HopQuery& q) {
               q.time = TimeMode::kEdge;
               q.fanout = -1;
             }},
        Case{
            "NothingMeetsIt",
            [](HopQuery& q) { q.predicate = PredicateOf("edge_attr[0] > 1"); }},
        Case{"PredicateInTime",
             [](HopQuery& q) {
               q.time = TimeMode::kEdge;
               q.predicate = PredicateOf("edge_attr[0] == 0");
             }},
        Case{"PredicateOfTime",
             [](HopQuery& q) { q.predicate = PredicateOf("edge_time < 500"); }},
        Case{"PredicateWeighted",
             [](HopQuery& q) {
               q.draw = DrawMode::kWeighted;
               q.predicate = PredicateOf("edge_attr[0] == 0");
             }}),
    [](const auto& info) { return info.param.name; });

// A request is answered with the nodes that are complete, so that no server
// works on one for long.
TEST(LimitedHopTest, EndsBetweenNodesAndGoesOn) {
  const HopRows rows(std::vector<uint64_t>(100, 1000));
  const AskedNodes asked(100);
  HopQuery query = asked.Query(3, false);
  query.draw = DrawMode::kLabor;
  HopRows with_ids = rows;
  std::vector<uint64_t> ids(rows.num_edges());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  with_ids.SetNeighborIds(ids);
  HopEdges all;
  ASSERT_TRUE(SampleHop(with_ids.view(), rows.num_edges(), query, &all).ok());
  query.max_work = 10'000;
  std::vector<uint64_t> neighbors;
  size_t from = 0;
  int calls = 0;
  for (; from < 100; ++calls) {
    query.rows = absl::MakeConstSpan(asked.rows).subspan(from);
    query.local_numbers = absl::MakeConstSpan(asked.numbers).subspan(from);
    query.trees = {};
    HopEdges some;
    ASSERT_TRUE(
        SampleHop(with_ids.view(), rows.num_edges(), query, &some).ok());
    ASSERT_GT(some.counts.size(), 0);
    EXPECT_LE(some.counts.size(), 16);
    EXPECT_FALSE(some.last_is_partial);
    neighbors.insert(neighbors.end(), some.neighbors.begin(),
                     some.neighbors.end());
    from += some.counts.size();
  }
  EXPECT_GE(calls, 6);
  EXPECT_TRUE(neighbors == all.neighbors);
}

}  // namespace
}  // namespace tributary
