// Meetings, rounds, the log of writes and parked calls, in virtual time.
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/testing/sim_scheduler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/meetings.h"
#include "sampler_server/tensors/parked_calls.h"
#include "sampler_server/tensors/round_staging.h"
#include "sampler_server/tensors/write_log.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorldTest : public ::testing::Test {
 protected:
  void Run(absl::Duration time = absl::Milliseconds(1)) {
    bool passed = false;
    world_.Schedule(-1, world_.now() + time, [&] { passed = true; });
    world_.RunUntil([&] { return passed; }, 2 * time);
  }
  SimScheduler world_{1};
  SimExecutor* const node_ = world_.AddNode("server");
};

class ParkedCallsTest : public WorldTest {
 protected:
  std::shared_ptr<std::optional<absl::Status>> Park(uint64_t number,
                                                    absl::Duration timeout,
                                                    CancelToken cancel = {}) {
    auto result = std::make_shared<std::optional<absl::Status>>();
    parked_->Park(
        number, node_->Now() + timeout, cancel,
        [] { return absl::DeadlineExceededError("late"); },
        [result](absl::Status status) { *result = std::move(status); });
    return result;
  }
  std::shared_ptr<ParkedCalls> parked_ = std::make_shared<ParkedCalls>(node_);
};

TEST_F(ParkedCallsTest, CallsResumeWhenTheirNumberIsReached) {
  parked_->Reach(1);
  const auto now = Park(1, absl::Seconds(9));
  const auto two = Park(2, absl::Seconds(9));
  const auto three = Park(3, absl::Seconds(9));
  Run();
  EXPECT_TRUE((*now)->ok());
  EXPECT_FALSE(two->has_value());
  parked_->Reach(2);
  Run();
  EXPECT_TRUE((*two)->ok());
  EXPECT_FALSE(three->has_value());
  EXPECT_EQ(parked_->size(), 1u);
}

TEST_F(ParkedCallsTest, WaitsEndByDeadlineCancelAndEnd) {
  const auto late = Park(1, absl::Seconds(2));
  const CancelToken cancel;
  const auto cancelled = Park(1, absl::Seconds(9), cancel);
  const auto ended = Park(1, absl::Seconds(9));
  cancel.Cancel();
  Run();
  EXPECT_EQ((*cancelled)->code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(late->has_value());
  Run(absl::Seconds(3));
  EXPECT_EQ((*late)->message(), "late");
  parked_->End(absl::UnavailableError("over"));
  const auto after = Park(1, absl::Seconds(9));
  Run();
  EXPECT_EQ((*ended)->message(), "over");
  EXPECT_EQ((*after)->message(), "over");
  EXPECT_EQ(parked_->size(), 0u);
  EXPECT_EQ(world_.num_pending(node_->node()), 0u);
}

class MeetingsTest : public WorldTest {
 protected:
  using Result =
      std::shared_ptr<std::optional<absl::StatusOr<Meetings::Values>>>;

  Result Meet(uint32_t rank, uint64_t sequence, const std::string& value,
              const std::string& purpose = "barrier") {
    auto result =
        std::make_shared<std::optional<absl::StatusOr<Meetings::Values>>>();
    Meetings::Visit visit;
    visit.rank = rank;
    visit.sequence = sequence;
    visit.purpose = purpose;
    visit.value = value;
    visit.deadline = node_->Now() + absl::Seconds(5);
    meetings_.Meet(std::move(visit),
                   [result](auto values) { *result = std::move(values); });
    Run();
    return result;
  }
  static std::string ErrorOf(const Result& result) {
    return result->has_value() ? std::string((*result)->status().message())
                               : "no answer";
  }
  Meetings meetings_{3, node_, nullptr};
};

TEST_F(MeetingsTest, EachRankGetsTheValuesOfAll) {
  const auto second = Meet(1, 1, "b");
  const auto third = Meet(2, 1, "c");
  EXPECT_FALSE(second->has_value());
  const auto first = Meet(0, 1, "a");
  for (const auto& result : {first, second, third}) {
    ASSERT_TRUE(result->has_value());
    EXPECT_THAT(***result, testing::Pointee(ElementsAre("a", "b", "c")));
  }
  // A rank whose answer was lost gets the same one, until the next meeting.
  EXPECT_THAT(***Meet(1, 1, "b"), testing::Pointee(ElementsAre("a", "b", "c")));
  Meet(1, 2, "x");
  Meet(2, 2, "y");
  EXPECT_THAT(***Meet(0, 2, "w"), testing::Pointee(ElementsAre("w", "x", "y")));
  EXPECT_THAT(ErrorOf(Meet(0, 1, "a")), HasSubstr("it may come to 3"));
  EXPECT_THAT(ErrorOf(Meet(0, 4, "a")), HasSubstr("it may come to 3"));
}

TEST_F(MeetingsTest, ADeadlineNamesThoseWhoAreMissing) {
  const auto one = Meet(1, 1, "b");
  Run(absl::Seconds(6));
  EXPECT_THAT(ErrorOf(one),
              HasSubstr("meeting 1 for 'barrier': ranks 0, 2 of 3 did not"));
  // It counts as come, and asks again.
  Meet(0, 1, "a");
  const auto all = Meet(2, 1, "c");
  ASSERT_TRUE(all->has_value());
  EXPECT_THAT(***all, testing::Pointee(ElementsAre("a", "b", "c")));
}

TEST_F(MeetingsTest, OtherPurposesEndTheMeetingForAll) {
  const auto one = Meet(1, 1, "b", "create emb");
  const auto two = Meet(2, 1, "c", "barrier");
  for (const auto& result : {one, two}) {
    EXPECT_THAT(ErrorOf(result),
                HasSubstr("rank 2 comes for 'barrier', rank 1 came for "
                          "'create emb'"));
  }
  // It can be held after all.
  Meet(0, 1, "a");
  Meet(1, 1, "b");
  EXPECT_TRUE(Meet(2, 1, "c")->has_value());
}

TEST_F(MeetingsTest, ARankBringsOneValueWithinItsShare) {
  Meet(1, 1, "b");
  EXPECT_THAT(ErrorOf(Meet(1, 1, "other")), HasSubstr("another value"));
  EXPECT_THAT(ErrorOf(Meet(0, 1, std::string((64 << 10) + 1, 'x'))),
              HasSubstr("allowed: 65536"));
}

TEST_F(MeetingsTest, ValuesCountInTheShareUntilTheNextMeetingIsOver) {
  const auto budget = SharedBudget::Create("attempt budget", 10'000);
  Meetings meetings(2, node_, budget->Open("job"));
  const auto meet = [&](uint32_t rank, uint64_t sequence, size_t bytes) {
    Meetings::Visit visit;
    visit.rank = rank;
    visit.sequence = sequence;
    visit.purpose = "barrier";
    visit.value = std::string(bytes, 'v');
    visit.deadline = node_->Now() + absl::Seconds(5);
    auto result = std::make_shared<absl::Status>(absl::UnknownError("waits"));
    meetings.Meet(std::move(visit),
                  [result](auto values) { *result = values.status(); });
    Run();
    return *result;
  };
  EXPECT_TRUE(absl::IsUnknown(meet(0, 1, 1000)));
  EXPECT_GE(budget->used(), 1000u);
  EXPECT_LE(budget->used(), 1100u);
  EXPECT_TRUE(absl::IsUnknown(meet(0, 1, 1000)));  // again: once counted
  EXPECT_LE(budget->used(), 1100u);
  EXPECT_TRUE(absl::IsResourceExhausted(meet(1, 1, 5000)));
  EXPECT_TRUE(meet(1, 1, 500).ok());
  EXPECT_GE(budget->used(), 1500u);
  EXPECT_TRUE(absl::IsUnknown(meet(0, 2, 1)));
  EXPECT_TRUE(meet(1, 2, 1).ok());
  EXPECT_LE(budget->used(), 300u);
  meetings.End(absl::UnavailableError("over"));
  EXPECT_EQ(budget->used(), 0u);
}

TEST_F(MeetingsTest, APurposeIsShort) {
  EXPECT_THAT(ErrorOf(Meet(0, 1, "a", std::string(5000, 'p'))),
              HasSubstr("name has 5000 bytes; allowed: 4096"));
}

TEST(WriteLogTest, RemembersAWindowOfNumbers) {
  WriteLog log;
  int applied = 0;
  const auto write = [&](uint64_t sequence, uint64_t oldest) {
    const auto is_new = log.IsNew(sequence, oldest);
    ASSERT_TRUE(is_new.ok()) << is_new.status();
    if (!*is_new) return;
    ++applied;
    log.Record(sequence);
  };
  constexpr uint64_t kMost = WriteLog::kMaxOpen;
  for (uint64_t s = 1; s <= kMost; ++s) write(s, 1);
  for (uint64_t s = 1; s <= kMost; ++s) write(s, 1);
  EXPECT_EQ(applied, static_cast<int>(kMost));
  // The place of number 1 is that of the next one, once 1 is answered.
  write(kMost + 1, 2);
  write(kMost + 1, 2);
  write(2, 2);
  EXPECT_EQ(applied, static_cast<int>(kMost) + 1);
  // Far ahead, nothing of before is taken for it.
  write(10 * kMost + 1, 9 * kMost + 2);
  write(9 * kMost + 2, 9 * kMost + 2);
  EXPECT_EQ(applied, static_cast<int>(kMost) + 3);
}

TEST(WriteLogTest, AppliesEachWriteOnce) {
  WriteLog log;
  int applied = 0;
  const auto write = [&](uint64_t sequence, uint64_t oldest) {
    const auto is_new = log.IsNew(sequence, oldest);
    if (is_new.ok() && *is_new) {
      ++applied;
      log.Record(sequence);
    }
    return is_new.status();
  };
  EXPECT_TRUE(write(2, 1).ok());
  EXPECT_TRUE(write(2, 1).ok());
  EXPECT_TRUE(write(1, 1).ok());
  EXPECT_EQ(applied, 2);
  EXPECT_TRUE(write(5, 4).ok());
  EXPECT_TRUE(write(1, 1).ok());  // late: it was answered
  EXPECT_TRUE(write(3, 3).ok());
  EXPECT_EQ(applied, 3);
  // One that fails may be tried again.
  EXPECT_TRUE(*log.IsNew(6, 4));
  EXPECT_TRUE(write(6, 4).ok());
  EXPECT_EQ(applied, 4);
  EXPECT_THAT(write(0, 0).message(), HasSubstr("write 0"));
  EXPECT_THAT(write(4 + WriteLog::kMaxOpen, 4).message(),
              HasSubstr("4096 open writes"));
}

class RoundStagingTest : public ::testing::Test {
 protected:
  static constexpr size_t kRankLimit = 4096;

  RoundStagingTest() {
    std::vector<RowMember> members = {{"a:1", 1}};
    place_.placement =
        std::make_shared<const RowPlacement>(*RowPlacement::Create(members));
    table_ = Table();
  }
  std::shared_ptr<TensorTable> Table() {
    const TensorShape shape{"t", 100, 2, DType::kFloat32};
    auto table = *TensorTable::Create(
        shape, place_, *RowInitializer::Create({}, "t", 100, 2, shape.dtype),
        Reservation());
    EXPECT_TRUE(table->AttachOptimizer(OptimizerKind::kSgd, {}).ok());
    return table;
  }
  // A part with the same gradient in both columns of each row.
  RoundPart Part(uint32_t rank, uint64_t round, uint32_t part, bool closes,
                 uint32_t place, std::vector<uint64_t> rows,
                 const std::vector<float>& gradients) {
    RoundPart made;
    made.rank = rank;
    made.round = round;
    made.part = part;
    made.closes = closes;
    auto owner = std::make_shared<std::vector<float>>();
    for (float g : gradients) owner->insert(owner->end(), {g, g});
    if (!rows.empty()) {
      StagedPush push;
      push.table = table_;
      push.place = place;
      push.step.learning_rate = -1;  // w = w + sum
      push.rows = std::move(rows);
      push.gradients = reinterpret_cast<const uint8_t*>(owner->data());
      made.pushes.push_back(std::move(push));
    }
    made.bytes = gradients.size() * 16;
    made.owner = owner;
    return made;
  }
  // Applies the round in steps of `limit`; returns how many.
  static int Apply(RoundStaging& rounds, uint64_t limit = WorkSlice::kLimit) {
    for (int steps = 1;; ++steps) {
      WorkSlice slice(limit);
      if (rounds.ApplyRound(slice)) return steps;
    }
  }
  float ValueOf(const TensorTable& table, uint64_t row) {
    float values[2];
    table.Read(std::vector<uint64_t>{row}, reinterpret_cast<uint8_t*>(values));
    EXPECT_EQ(values[0], values[1]);
    return values[0];
  }
  std::string ErrorOf(RoundPart part) {
    return std::string(rounds_.Stage(std::move(part)).status().message());
  }

  TensorTable::Place place_;
  std::shared_ptr<TensorTable> table_;
  RoundStaging rounds_{2, kRankLimit};
};

using Taken = RoundStaging::Taken;

TEST_F(RoundStagingTest, StepsOnceEveryRankHasClosed) {
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 0, false, 0, {1, 2}, {1, 2})),
            Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 0, false, 0, {1, 2}, {1, 2})),
            Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(1, 1, 0, true, 1, {2}, {10})), Taken::kStaged);
  EXPECT_THAT(rounds_.Missing(), ElementsAre(0));
  EXPECT_EQ(*rounds_.Stage(Part(0, 2, 0, true, 0, {}, {})), Taken::kAhead);
  EXPECT_EQ(ValueOf(*table_, 2), 0);
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 1, true, 0, {3}, {5})), Taken::kComplete);
  Apply(rounds_);
  EXPECT_EQ(ValueOf(*table_, 1), 1);
  EXPECT_EQ(ValueOf(*table_, 2), 12);
  EXPECT_EQ(ValueOf(*table_, 3), 5);
  EXPECT_EQ(rounds_.applied(), 1u);
  // Late parts of the round change nothing.
  EXPECT_EQ(*rounds_.Stage(Part(1, 1, 0, true, 1, {2}, {10})), Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(0, 2, 0, true, 0, {}, {})), Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(1, 2, 0, true, 0, {}, {})), Taken::kComplete);
  Apply(rounds_);
  EXPECT_EQ(ValueOf(*table_, 2), 12);
}

TEST_F(RoundStagingTest, APartThatClosesWaitsForThoseBeforeIt) {
  EXPECT_EQ(*rounds_.Stage(Part(1, 1, 0, true, 0, {}, {})), Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 2, true, 0, {1}, {1})), Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 0, false, 0, {2}, {1})), Taken::kStaged);
  EXPECT_THAT(rounds_.Missing(), ElementsAre(0));
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 1, false, 0, {3}, {1})),
            Taken::kComplete);
}

// 2^24 + 1 + 1 depends on the order of the sums: ascending by place, whatever
// the rank, 1 + 1 comes first here.
TEST_F(RoundStagingTest, SumsAscendByPlace) {
  std::vector<RoundPart> parts;
  parts.push_back(Part(0, 1, 0, false, 2, {7}, {0x1p24f}));
  parts.push_back(Part(0, 1, 1, true, 0, {7}, {1}));
  parts.push_back(Part(1, 1, 0, true, 1, {7}, {1}));
  EXPECT_NE((0x1p24f + 1.0f) + 1.0f, 0x1p24f + 2.0f);
  std::vector<int> order = {0, 1, 2};
  do {
    table_ = Table();
    RoundStaging rounds(2, kRankLimit);
    for (int i : order) {
      RoundPart part =
          Part(parts[i].rank, 1, parts[i].part, parts[i].closes,
               parts[i].pushes[0].place, {7}, {i == 0 ? 0x1p24f : 1.0f});
      ASSERT_TRUE(rounds.Stage(std::move(part)).ok());
    }
    Apply(rounds);
    EXPECT_EQ(ValueOf(*table_, 7), 0x1p24f + 2.0f);
  } while (std::next_permutation(order.begin(), order.end()));
}

// Gradients of many parts, of two tables with initial values, in any slices: a
// row's sum ascends by (place, rank, part), and rows are stepped once.
TEST_F(RoundStagingTest, ARoundIsTheSameHoweverItIsCut) {
  const auto apply = [&](uint64_t limit, std::vector<float>& values) {
    std::vector<std::shared_ptr<TensorTable>> tables;
    for (const char* name : {"u", "v"}) {
      const TensorShape shape{name, 100, 2, DType::kFloat32};
      const InitialValueOptions normal{InitialKind::kNormal, 0, 1, 3};
      tables.push_back(*TensorTable::Create(
          shape, place_,
          *RowInitializer::Create(normal, name, 100, 2, shape.dtype),
          Reservation()));
      ASSERT_TRUE(
          tables.back()->AttachOptimizer(OptimizerKind::kAdagrad, {}).ok());
    }
    RoundStaging rounds(2, 1 << 20);
    for (uint32_t part = 0; part < 12; ++part) {
      table_ = tables[part / 2 % 2];
      std::vector<uint64_t> rows;
      std::vector<float> gradients;
      for (uint64_t row = part % 5; row < 100; row += 1 + part % 3) {
        rows.push_back(row);
        gradients.push_back(0.1f * static_cast<float>(row + part));
      }
      RoundPart made = Part(part % 2, 1, part / 2, part >= 10, 7 - part / 3,
                            rows, gradients);
      made.pushes[0].step.learning_rate = 0.5;
      ASSERT_TRUE(rounds.Stage(std::move(made)).ok());
    }
    const int steps = Apply(rounds, limit);
    EXPECT_EQ(steps > 1, limit < WorkSlice::kLimit) << limit;
    EXPECT_EQ(rounds.applied(), 1u);
    for (const auto& table : tables) {
      for (uint64_t row = 0; row < 100; ++row) {
        float row_values[2];
        table->Read(std::vector<uint64_t>{row},
                    reinterpret_cast<uint8_t*>(row_values));
        values.insert(values.end(), row_values, row_values + 2);
      }
    }
  };
  std::vector<float> whole;
  apply(WorkSlice::kLimit * 100, whole);
  for (const uint64_t limit : {1, 90, 1'000, 20'000}) {
    std::vector<float> cut;
    apply(limit, cut);
    EXPECT_EQ(cut, whole) << limit;
  }
}

// Of a round of 200,000 gradients, as of one, no step takes long.
TEST_F(RoundStagingTest, ALongRoundIsManySteps) {
  const TensorShape shape{"long", 200'000, 2, DType::kFloat32};
  table_ = *TensorTable::Create(
      shape, place_,
      *RowInitializer::Create({}, "long", shape.num_rows, 2, shape.dtype),
      Reservation());
  ASSERT_TRUE(table_->AttachOptimizer(OptimizerKind::kAdam, {}).ok());
  std::vector<uint64_t> rows(shape.num_rows);
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<float> ones(rows.size(), 1);
  RoundStaging rounds(1, size_t{1} << 30);
  RoundPart part = Part(0, 1, 0, true, 0, rows, ones);
  ASSERT_EQ(*rounds.Stage(std::move(part)), Taken::kComplete);
  int steps = 0;
  uint64_t most = 0;
  for (bool is_over = false; !is_over; ++steps) {
    WorkSlice slice;
    is_over = rounds.ApplyRound(slice);
    most = std::max(most, slice.spent());
  }
  EXPECT_GT(steps, 50);
  EXPECT_LE(most, WorkSlice::kLimit + 50'000);  // which give the part back
}

TEST_F(RoundStagingTest, ARankStaysWithinItsShare) {
  RoundPart large = Part(0, 1, 0, false, 0, {1}, {1});
  large.bytes = kRankLimit;
  ASSERT_TRUE(rounds_.Stage(std::move(large)).ok());
  EXPECT_THAT(ErrorOf(Part(0, 1, 1, true, 0, {2}, {1})),
              HasSubstr("raise --tensor-memory or make batches smaller"));
  // Neither what it has staged already nor the other rank is refused.
  RoundPart again = Part(0, 1, 0, false, 0, {1}, {1});
  again.bytes = kRankLimit;
  EXPECT_EQ(*rounds_.Stage(std::move(again)), Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(1, 1, 0, true, 0, {2}, {1})), Taken::kStaged);
  EXPECT_EQ(*rounds_.Stage(Part(0, 1, 1, true, 0, {}, {})), Taken::kComplete);
}

TEST_F(RoundStagingTest, APartWithoutPushesInItsTurnTakesNothing) {
  RoundPart empty = Part(0, 1, 0, false, 0, {}, {});
  EXPECT_EQ(rounds_.BytesOf(empty, 0, 0, 0), 0u);
  for (uint32_t part = 0; part < 10; ++part) {
    EXPECT_EQ(*rounds_.Stage(Part(0, 1, part, false, 0, {}, {})),
              Taken::kStaged);
  }
  EXPECT_TRUE(rounds_.Has(Part(0, 1, 9, false, 0, {}, {})));
  // One that comes early does, and so does one with rows.
  empty.part = 11;
  EXPECT_GT(rounds_.BytesOf(empty, 0, 0, 0), sizeof(RoundPart));
  empty.part = 10;
  EXPECT_EQ(rounds_.BytesOf(empty, 0, 0, 0), 0u);
  EXPECT_GT(rounds_.BytesOf(empty, 16, 1, 1),
            sizeof(RoundPart) + sizeof(StagedPush) + 16);
}

TEST_F(RoundStagingTest, AnEndDropsWhatIsStaged) {
  StagingMemory memory("the memory of gradients", 10'000, JobWeights());
  RoundPart part = Part(0, 1, 0, true, 0, {1}, {1});
  part.memory = *memory.Reserve("job", "caller", 1000);
  ASSERT_TRUE(rounds_.Stage(std::move(part)).ok());
  EXPECT_EQ(memory.used(), 1000u);
  rounds_.Clear();
  EXPECT_EQ(memory.used(), 0u);
}

TEST(StagingMemoryTest, ACallerLeavesAsMuchAsItTakes) {
  StagingMemory memory("the memory of gradients", 1000, JobWeights());
  EXPECT_EQ(memory.MostOf("a"), 500u);
  const auto thief = memory.Reserve("a", "thief", 500);
  ASSERT_TRUE(thief.ok());
  EXPECT_TRUE(
      absl::IsResourceExhausted(memory.Reserve("a", "thief", 1).status()));
  EXPECT_TRUE(memory.Reserve("b", "honest", 250).ok());
}

TEST(StagingMemoryTest, AJobWithAWeightHasItsPartForItself) {
  StagingMemory memory("the memory of gradients", 1000,
                       *JobWeights::Parse("a=3,*=1"));
  EXPECT_EQ(memory.MostOf("a"), 750u);
  EXPECT_EQ(memory.MostOf("other"), 125u);
  const auto first = memory.Reserve("a", "host", 400);
  const auto second = memory.Reserve("a", "host", 350);
  EXPECT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(
      absl::IsResourceExhausted(memory.Reserve("a", "host", 1).status()));
  EXPECT_TRUE(memory.Reserve("other", "host", 125).ok());
}

TEST_F(RoundStagingTest, RefusesWhatContradicts) {
  ASSERT_TRUE(rounds_.Stage(Part(0, 1, 1, true, 0, {1}, {1})).ok());
  EXPECT_THAT(ErrorOf(Part(0, 1, 2, false, 0, {1}, {1})),
              HasSubstr("closes with part 1"));
  ASSERT_TRUE(rounds_.Stage(Part(1, 1, 3, false, 0, {}, {})).ok());
  EXPECT_THAT(ErrorOf(Part(1, 1, 2, true, 0, {}, {})),
              HasSubstr("closes with part 2"));
  RoundPart other = Part(1, 1, 4, true, 0, {2}, {1});
  other.pushes[0].step.learning_rate = 3;
  EXPECT_THAT(ErrorOf(std::move(other)), HasSubstr("other hyperparameters"));
  EXPECT_THAT(ErrorOf(Part(0, 0, 0, true, 0, {}, {})), HasSubstr("round 0"));
}

TEST_F(RoundStagingTest, RoundsGoOnFromASnapshot) {
  EXPECT_TRUE(rounds_.SetRound(41).ok());
  EXPECT_TRUE(rounds_.SetRound(41).ok());  // every rank may say so
  EXPECT_THAT(rounds_.SetRound(40).message(), HasSubstr("set after 41"));
  EXPECT_EQ(*rounds_.Stage(Part(0, 42, 0, true, 0, {}, {})), Taken::kStaged);
  EXPECT_THAT(rounds_.SetRound(41).message(), HasSubstr("one has been pushed"));
}

}  // namespace
}  // namespace tributary
