#include "sampler_server/service/planning_turns.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

TEST(PlanningTurns, TheStreamsOfACallerShareOneStrand) {
  SimScheduler world(1);
  SimExecutor* const node = world.AddNode("server");
  PlanningTurns turns;
  const auto first = turns.Of("trainer/a", node);
  EXPECT_EQ(turns.Of("trainer/a", node), first);
  EXPECT_NE(turns.Of("trainer/b", node), first);
}

// However many plans a caller asks for, another one's is made next but one.
TEST(PlanningTurns, AnotherCallerIsNotBehindAllOfThem) {
  SimScheduler world(1);
  SimExecutor* const node = world.AddNode("server");
  PlanningTurns turns;
  std::string order;
  const auto a = turns.Of("trainer/a", node);
  const auto b = turns.Of("trainer/b", node);
  for (int i = 0; i < 100; ++i) a->Post([&order] { order += 'a'; });
  b->Post([&order] { order += 'b'; });
  EXPECT_TRUE(world.Drain(1000));
  EXPECT_EQ(order.size(), 101u);
  EXPECT_LT(order.find('b'), 20u) << order;
}

}  // namespace
}  // namespace tributary
