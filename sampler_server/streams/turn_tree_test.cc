#include "sampler_server/streams/turn_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tributary {
namespace {

using ::testing::ElementsAre;

class TurnTreeTest : public ::testing::Test {
 protected:
  static TurnTree::Path Path(const std::string& caller, const std::string& job,
                             const std::string& stream,
                             const std::string& group = "*") {
    return {group, caller, job, stream};
  }
  void Push(const TurnTree::Path& path, double weight = 1) {
    tree_.Push(path, weight, [this, path](WorkSlice&) {
      served_.push_back(path[1] + path[2] + path[3]);
    });
  }
  // Runs the next step; it costs what `costs` says of its caller, or 1, and is
  // asked for again at once if `again`.
  void Serve(bool again) {
    TurnTree::Turn turn = tree_.Pop();
    WorkSlice slice;
    turn.step(slice);
    const auto it = costs_.find(turn.path[1]);
    const double cost = it == costs_.end() ? 1 : it->second;
    spent_[turn.path[1] + turn.path[2]] += cost;
    if (again) Push(turn.path, weights_[turn.path[0]]);
    tree_.Settle(turn.path, turn.guess, cost);
    last_ = turn.path;
  }
  void ServeAll() {
    while (tree_.size() > 0) Serve(/*again=*/false);
  }

  TurnTree tree_;
  std::map<std::string, double> costs_;
  std::map<std::string, double> weights_ = {{"*", 1}};
  std::map<std::string, double> spent_;  // by caller and job
  std::vector<std::string> served_;
  TurnTree::Path last_;
};

TEST_F(TurnTreeTest, CallersShareCostsNotTurns) {
  costs_ = {{"dear", 10}, {"cheap", 1}};
  Push(Path("dear", "", "1"));
  Push(Path("cheap", "", "2"));
  for (int i = 0; i < 2200; ++i) Serve(/*again=*/true);
  EXPECT_NEAR(spent_["dear"] / spent_["cheap"], 1, 0.02);
}

TEST_F(TurnTreeTest, ACallerGainsNothingByJobsOrStreams) {
  Push(Path("a", "a", "1"));
  for (int i = 0; i < 50; ++i) {
    Push(Path("b", std::to_string(i), std::to_string(100 + i)));
  }
  for (int i = 0; i < 40; ++i) {
    Push(Path("c", "c", std::to_string(200 + i)));
  }
  for (int i = 0; i < 3000; ++i) Serve(/*again=*/true);
  double b = 0;
  for (int i = 0; i < 50; ++i) b += spent_["b" + std::to_string(i)];
  EXPECT_NEAR(spent_["aa"], 1000, 2);
  EXPECT_NEAR(b, 1000, 2);
  EXPECT_NEAR(spent_["cc"], 1000, 2);
}

TEST_F(TurnTreeTest, ListedJobsHaveTheirWeights) {
  weights_ = {{"heavy", 3}, {"*", 1}};
  Push(Path("x", "heavy", "1", "heavy"), 3);
  for (int i = 0; i < 9; ++i) {
    Push(Path("y" + std::to_string(i), "", std::to_string(i)), 1);
  }
  for (int i = 0; i < 4000; ++i) Serve(/*again=*/true);
  EXPECT_NEAR(spent_["xheavy"], 3000, 5);
}

TEST_F(TurnTreeTest, TheStepsOfAStreamKeepTheirOrder) {
  for (const char* stream : {"1", "2"}) Push(Path("a", "", stream));
  Push(Path("a", "", "1"));
  Push(Path("b", "", "3"));
  ServeAll();
  EXPECT_THAT(served_, ElementsAre("a1", "b3", "a2", "a1"));
}

// While it was away the other one was served a hundred times.
TEST_F(TurnTreeTest, WhoWasAwayHasSavedNothingUp) {
  Push(Path("a", "", "1"));
  Push(Path("b", "", "2"));
  ServeAll();
  Push(Path("b", "", "2"));
  for (int i = 0; i < 100; ++i) Serve(/*again=*/true);
  spent_.clear();
  Push(Path("a", "", "1"));
  for (int i = 0; i < 100; ++i) Serve(/*again=*/true);
  EXPECT_NEAR(spent_["a"], 50, 2);
}

// One that asks for one step at a time pays for it all the same.
TEST_F(TurnTreeTest, AnAccountThatIsAheadIsKeptWhileNothingWaits) {
  costs_ = {{"dear", 10}, {"cheap", 1}};
  Push(Path("dear", "", "1"));
  Push(Path("cheap", "", "2"));
  Push(Path("cheap", "", "2"));
  for (int i = 0; i < 2200; ++i) {
    Serve(/*again=*/false);
    Push(last_);
  }
  EXPECT_NEAR(spent_["dear"] / spent_["cheap"], 1, 0.02);
}

TEST_F(TurnTreeTest, ChildrenThatAreIdleAreForgotten) {
  for (int i = 0; i < 20'000; ++i) {
    Push(Path("a", std::to_string(i), "1"));
    ServeAll();
  }
  EXPECT_EQ(tree_.size(), 0u);
  EXPECT_LE(tree_.num_nodes(), 2 * TurnTree::kMaxRemembered + 8);
}

TEST_F(TurnTreeTest, IdleNodesOfAllLevelsTogetherAreFew) {
  size_t most = 0;
  for (int caller = 0; caller < 50; ++caller) {
    for (int job = 0; job < 50; ++job) {
      for (int stream = 0; stream < 50; ++stream) {
        Push(Path(std::to_string(caller), std::to_string(job),
                  std::to_string(stream)));
        ServeAll();
        most = std::max(most, tree_.num_nodes());
      }
    }
  }
  EXPECT_GT(most, TurnTree::kMaxNodes / 2);
  EXPECT_LE(most, TurnTree::kMaxNodes + TurnTree::kLevels);
}

// A caller's account is kept when those of its streams are not.
TEST_F(TurnTreeTest, ACallerIsAheadAlthoughItsStreamsAreForgotten) {
  costs_ = {{"dear", 1e9}};
  Push(Path("dear", "", "1"));
  Push(Path("cheap", "", "2"));
  ServeAll();
  size_t most = 0;
  for (const char* caller : {"other", "another", "third"}) {
    for (int i = 0; i < 60 * 60; ++i) {
      Push(Path(caller, std::to_string(i / 60), std::to_string(i % 60)));
      ServeAll();
      most = std::max(most, tree_.num_nodes());
    }
  }
  ASSERT_LT(tree_.num_nodes(), most);
  served_.clear();
  Push(Path("dear", "", "1"));
  Push(Path("cheap", "", "2"));
  Push(Path("cheap", "", "2"));
  ServeAll();
  EXPECT_THAT(served_, ElementsAre("cheap2", "cheap2", "dear1"));
}

// Of three callers with many steps each, at random: all steps run, no caller
// has more at once than it may, and a step waits only for its own caller's.
TEST(TurnTreeLimit, NoCallerRunsMoreStepsThanItMay) {
  constexpr size_t kMost = 2;
  std::mt19937 random(7);
  TurnTree tree(kMost);
  std::map<std::string, size_t> waiting, running, served;
  std::vector<TurnTree::Turn> turns;
  const auto settle = [&](size_t i) {
    tree.Settle(turns[i].path, turns[i].guess, random() % 100);
    --running[turns[i].path[1]];
    turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(i));
  };
  const auto any_may_run = [&] {
    return std::any_of(waiting.begin(), waiting.end(), [&](const auto& caller) {
      return caller.second > 0 && running[caller.first] < kMost;
    });
  };
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 2 == 0) {
      const std::string caller(1, "abc"[random() % 3]);
      tree.Push({"*", caller, caller, std::to_string(random() % 3)}, 1,
                [](WorkSlice&) {});
      ++waiting[caller];
    }
    ASSERT_EQ(tree.ready(), any_may_run());
    if (tree.ready() && random() % 3 > 0) {
      turns.push_back(tree.Pop());
      const std::string& caller = turns.back().path[1];
      --waiting[caller];
      ++served[caller];
      ASSERT_LE(++running[caller], kMost);
    }
    if (!turns.empty() && random() % 3 > 0) settle(random() % turns.size());
  }
  while (tree.size() > 0 || !turns.empty()) {
    if (tree.ready()) {
      turns.push_back(tree.Pop());
      ++running[turns.back().path[1]];
    } else {
      ASSERT_FALSE(turns.empty()) << tree.size();
      settle(0);
    }
  }
  for (const char* caller : {"a", "b", "c"}) EXPECT_GT(served[caller], 1000u);
}

}  // namespace
}  // namespace tributary
