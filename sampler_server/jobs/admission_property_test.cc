#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/testing/sim_random.h"
#include "common/testing/sim_scheduler.h"
#include "gtest/gtest.h"
#include "sampler_server/jobs/admission.h"

namespace tributary {
namespace {

// Random jobs, sizes and readers, some of whom read nothing for long: whoever
// reads is always served while a batch of his is as small as what is left to
// him, and all is made in the end.
class AdmissionProperty : public testing::TestWithParam<int> {};

TEST_P(AdmissionProperty, WhatSomeDoNotReadKeepsNobodyElseFromStarting) {
  constexpr size_t kBudget = 1 << 20;
  SimRandom random(static_cast<uint64_t>(GetParam()), "admission");
  SimScheduler world(static_cast<uint64_t>(GetParam()));
  SimExecutor* const executor = world.AddNode("server");
  const auto budget = ByteBudget::Create("--memory-budget", kBudget);
  AdmissionLimits limits;
  limits.running = 1 + static_cast<int>(random.Below(8));
  limits.computing = 1 + static_cast<int>(random.Below(8));
  limits.running_per_stream = 1 + static_cast<int>(random.Below(99));
  if (random.Chance(0.5)) limits.weights = JobWeights::Parse("j0=3").value();
  const auto admission = std::make_shared<Admission>(limits, budget, executor);

  struct Reader {
    bool stopped = false;
    size_t largest = 0;
    int left = 0;  // batches to ask for
    size_t waiting = 0;
    std::deque<std::pair<Admission::BatchId, Reservation>> unread;
  };
  const size_t jobs = 2 + random.Below(3);
  std::vector<Reader> readers(jobs);
  struct Making {
    size_t job;
    Admission::BatchId id;
    Reservation reservation;
  };
  std::vector<Making> making;
  const auto ask = [&](size_t job) {
    Reader& reader = readers[job];
    --reader.left;
    ++reader.waiting;
    Admission::Batch batch;
    batch.job = absl::StrCat("j", job);
    batch.stream = job * 4 + random.Below(4);
    batch.reserve_bytes = 2 + random.Below(reader.largest);
    auto id = std::make_shared<Admission::BatchId>(0);
    batch.start = [&making, &reader, job, id](Reservation reservation) {
      --reader.waiting;
      making.push_back({job, *id, std::move(reservation)});
    };
    *id = admission->Enqueue(std::move(batch)).value();
  };
  const auto make_one = [&] {
    const size_t which = random.Below(making.size());
    Making made = std::move(making[which]);
    making.erase(making.begin() + static_cast<std::ptrdiff_t>(which));
    const size_t room = made.reservation.bytes() / 2;
    made.reservation.ShrinkTo(room);
    admission->MarkMade(made.id, {.bytes = room, .unread = room});
    readers[made.job].unread.emplace_back(made.id, std::move(made.reservation));
  };
  const auto read_one = [&](Reader& reader) {
    const Admission::BatchId id = reader.unread.front().first;
    reader.unread.pop_front();
    admission->Finish(id);
  };

  for (size_t job = 0; job < jobs; ++job) {
    readers[job].stopped = job + 1 < jobs && random.Chance(0.7);
    // Even n that stop one after the other leave a 2^-n of the budget.
    readers[job].largest = kBudget >> (jobs + random.Below(6));
    readers[job].left = 40 + static_cast<int>(random.Below(200));
  }
  const auto step = [&](bool all_read) {
    for (size_t job = 0; job < jobs; ++job) {
      Reader& reader = readers[job];
      while (reader.left > 0 && reader.waiting < 8) ask(job);
      if ((all_read || !reader.stopped) && !reader.unread.empty()) {
        read_one(reader);
      }
    }
    ASSERT_TRUE(world.Drain(10'000));
    ASSERT_LE(budget->used(), kBudget);
    if (!making.empty()) make_one();
    ASSERT_TRUE(world.Drain(10'000));
  };
  const auto done = [&](bool all) {
    return making.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](const Reader& r) {
             return (r.stopped && !all) ||
                    (r.left == 0 && r.waiting == 0 && r.unread.empty());
           });
  };
  // Each step makes one batch while there is any: no more than there are.
  for (int i = 0; i < 2000 && !done(false); ++i) step(false);
  EXPECT_TRUE(done(false)) << "those who read wait for those who do not";
  for (int i = 0; i < 2000 && !done(true); ++i) step(true);
  EXPECT_TRUE(done(true)) << "something is never made";
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_TRUE(admission->Jobs().empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdmissionProperty, testing::Range(1, 301));

}  // namespace
}  // namespace tributary
