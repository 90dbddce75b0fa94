#include "trainer_client/core/strand_signal.h"

#include <gtest/gtest.h>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

TEST(StrandSignal, IsHeardOnceAndNeverAfterDetaching) {
  SimScheduler world(1);
  int heard = 0;
  auto signal = std::make_shared<StrandSignal>(
      std::make_shared<Strand>(world.AddNode("n")), [&] { ++heard; });
  signal->Signal();
  signal->Signal();
  world.Drain(100);
  EXPECT_EQ(heard, 1);
  signal->Signal();
  signal->DetachFromStrand();
  signal->Signal();
  world.Drain(100);
  EXPECT_EQ(heard, 1);
}

}  // namespace
}  // namespace tributary
