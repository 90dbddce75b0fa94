#include <gtest/gtest.h>

#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/batch_window.h"
#include "trainer_client/core/credit_size.h"
#include "trainer_client/core/fleet/death_record.h"
#include "trainer_client/core/strand_signal.h"

namespace tributary {
namespace {

TEST(CreditSize, FirstTheBoundOrAShareThenWhatWasSeen) {
  EXPECT_EQ(CreditSize(1 << 20, 4, 0).Next(), 256 << 10);
  EXPECT_EQ(CreditSize(1 << 20, 4, 10'000).Next(), 10'048);
  EXPECT_EQ(CreditSize(1 << 20, 1, 0).Next(), 512 << 10);  // half at most
  CreditSize size(1 << 20, 4, 0);
  size.Saw(64'000);
  EXPECT_EQ(size.Next(), 72'000);
  size.Saw(8'000);
  EXPECT_EQ(size.Next(), 72'000);
  for (int i = 0; i < 30; ++i) size.Saw(8'000);
  EXPECT_EQ(size.Next(), 72'000);  // still one of the last 32
  size.Saw(8'000);
  EXPECT_EQ(size.Next(), 9'024);  // 9000 rounded up to 64
  size.Saw(1'000'000);
  EXPECT_EQ(size.Next(), 512 << 10);
}

TEST(DeathRecord, BlamesOnlyAfterThreeDeathsTheLastOneAlone) {
  using Fate = DeathRecord::Fate;
  using Verdict = DeathRecord::Verdict;
  DeathRecord record;
  const auto all = [](Fate fate) {
    return [fate](const DeathRecord::Holder&) { return fate; };
  };
  EXPECT_EQ(record.Judge(all(Fate::kDead)), Verdict::kInnocent);
  record.Lost({{"a", 1}, 1});
  record.Lost({{"a", 1}, 1});  // once
  EXPECT_EQ(record.Judge(all(Fate::kDead)), Verdict::kInnocent);
  record.Lost({{"a", 1}, 2});
  EXPECT_EQ(record.Judge(all(Fate::kUnknown)), Verdict::kAlone);
  record.Lost({{"b", 1}, 1});
  EXPECT_EQ(record.Judge(all(Fate::kUnknown)), Verdict::kWait);
  EXPECT_EQ(record.Judge(all(Fate::kDead)), Verdict::kGuilty);
  EXPECT_EQ(record.Judge([](const DeathRecord::Holder& holder) {
    return holder.address.host == "b" ? Fate::kAlive : Fate::kDead;
  }),
            Verdict::kAlone);
  EXPECT_EQ(record.holders().size(), 2);
}

TEST(BatchWindow, FindsByIndex) {
  BatchWindow window;
  for (uint64_t index : {3, 6, 9}) window.Add(index);
  EXPECT_EQ(window.Find(6)->index, 6);
  EXPECT_EQ(window.Find(5), nullptr);
  EXPECT_EQ(window.Find(10), nullptr);
  window.PopFront();
  EXPECT_EQ(window.Find(3), nullptr);
}

TEST(BatchWindow, EvictsTheHighestReadyOneAbove) {
  using State = PendingBatch::State;
  BatchWindow window;
  for (uint64_t index : {0, 1, 2, 3}) window.Add(index);
  window.Find(0)->state = State::kReady;
  window.Find(1)->state = State::kReady;
  window.Find(2)->state = State::kReady;
  window.Find(3)->state = State::kAsked;
  EXPECT_TRUE(window.EvictAbove(0));
  EXPECT_EQ(window.Find(2)->state, State::kWanted);
  EXPECT_FALSE(window.EvictAbove(1));
  EXPECT_TRUE(window.EvictAbove(0));
  EXPECT_FALSE(window.EvictAbove(0));
  EXPECT_EQ(window.Find(0)->state, State::kReady);
}

TEST(StrandSignal, IsHeardOnceAndNeverAfterMute) {
  SimScheduler world(1);
  int heard = 0;
  auto signal = std::make_shared<StrandSignal>(
      std::make_shared<Strand>(world.AddNode("n")), [&] { ++heard; });
  signal->Signal();
  signal->Signal();
  world.Drain(100);
  EXPECT_EQ(heard, 1);
  signal->Signal();
  signal->Mute();
  signal->Signal();
  world.Drain(100);
  EXPECT_EQ(heard, 1);
}

}  // namespace
}  // namespace tributary
