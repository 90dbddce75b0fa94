#include "sampler_server/service/catalog/session_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

class SessionCacheTest : public ::testing::Test {
 protected:
  SessionCacheTest() {
    GraphSpec spec;
    spec.num_nodes = 3;
    spec.edges = {{1, 0}, {2, 0}};
    graph_ = std::make_shared<HeldGraph>(ServedGraph{BuildGraph(spec)});
  }

  static Sha256Digest Digest(uint8_t number) {
    Sha256Digest digest{};
    digest[0] = number;
    return digest;
  }
  Session Made(uint8_t number, size_t bytes = 100) const {
    auto plan = std::make_shared<SamplingPlan>();
    plan->session = Digest(number);
    return {std::move(plan), graph_, bytes};
  }
  void Put(const SessionOwner& owner, uint8_t number, size_t bytes = 100) {
    cache_.Put(owner, Made(number, bytes));
  }
  bool Has(const SessionOwner& owner, uint8_t number) {
    return cache_.Find(owner, Digest(number)).plan != nullptr;
  }

  std::shared_ptr<HeldGraph> graph_;
  SessionCache cache_{8};
  const SessionOwner a_{"trainer/a", "a"};
  const SessionOwner b_{"trainer/b", "b"};
};

TEST_F(SessionCacheTest, ACallerThatOpensManyEvictsItsOwnOldest) {
  for (uint8_t i = 0; i < 4; ++i) Put(a_, i);
  for (uint8_t i = 10; i < 100; ++i) Put(b_, i);
  for (uint8_t i = 0; i < 4; ++i) EXPECT_TRUE(Has(a_, i));
  for (uint8_t i = 96; i < 100; ++i) EXPECT_TRUE(Has(b_, i));
  EXPECT_FALSE(Has(b_, 95));
  EXPECT_EQ(cache_.size(), 8u);
}

TEST_F(SessionCacheTest, AJobOfACallerThatOpensManyEvictsItsOwn) {
  const SessionOwner other{"trainer/a", "other"};
  for (uint8_t i = 0; i < 3; ++i) Put(a_, i);
  for (uint8_t i = 10; i < 30; ++i) Put(other, i);
  for (uint8_t i = 0; i < 3; ++i) EXPECT_TRUE(Has(a_, i));
}

TEST_F(SessionCacheTest, MoreCallersThanPlacesTakeTurns) {
  SessionCache cache(1);
  for (int i = 0; i < 3; ++i) {
    cache.Put(a_, Made(1));
    EXPECT_NE(cache.Find(a_, Digest(1)).plan, nullptr);
    cache.Put(b_, Made(2));
    EXPECT_NE(cache.Find(b_, Digest(2)).plan, nullptr);
    EXPECT_EQ(cache.size(), 1u);
  }
}

TEST_F(SessionCacheTest, TheOneUsedLongestAgoGoes) {
  for (uint8_t i = 0; i < 8; ++i) Put(a_, i);
  EXPECT_TRUE(Has(a_, 0));
  Put(a_, 8);
  EXPECT_TRUE(Has(a_, 0));
  EXPECT_FALSE(Has(a_, 1));
}

// In whatever order their names are, and of one caller or of two.
TEST_F(SessionCacheTest, OwnersThatKeepAsMuchTakeTurns) {
  const SessionOwner second{"trainer/a", "b"};
  for (const auto& [one, other] :
       {std::pair{a_, second}, {second, a_}, {a_, b_}, {b_, a_}}) {
    SessionCache cache(1);
    for (int round = 0; round < 3; ++round) {
      cache.Put(one, Made(1));
      EXPECT_NE(cache.Find(one, Digest(1)).plan, nullptr);
      cache.Put(other, Made(2));
      EXPECT_NE(cache.Find(other, Digest(2)).plan, nullptr);
    }
  }
}

TEST_F(SessionCacheTest, OneThatSeveralKeepIsCachedOnceAndStaysForEach) {
  Put(a_, 1);
  EXPECT_FALSE(Has(b_, 1));
  EXPECT_NE(cache_.Keep(b_, Digest(1)).plan, nullptr);
  EXPECT_TRUE(Has(b_, 1));
  EXPECT_EQ(cache_.size(), 1u);
  for (uint8_t i = 10; i < 30; ++i) Put(b_, i);
  EXPECT_FALSE(Has(b_, 1));
  EXPECT_TRUE(Has(a_, 1));
  EXPECT_EQ(cache_.Keep(b_, Digest(77)).plan, nullptr);
}

// Sessions count by their bytes: 8 of 8 MiB, or fewer that are larger.
TEST_F(SessionCacheTest, LargeOnesPushOutTheirOwners) {
  for (uint8_t i = 0; i < 3; ++i) Put(a_, i);
  for (uint8_t i = 10; i < 20; ++i) Put(b_, i, size_t{20} << 20);
  for (uint8_t i = 0; i < 3; ++i) EXPECT_TRUE(Has(a_, i));
  EXPECT_TRUE(Has(b_, 19));
  EXPECT_TRUE(Has(b_, 18));
  EXPECT_FALSE(Has(b_, 17));
}

TEST_F(SessionCacheTest, OwnersOfOneSessionAreBounded) {
  Put(a_, 1);
  for (int i = 0; i < 1000; ++i) {
    cache_.Keep({absl::StrCat("anonymous at ", i), "default"}, Digest(1));
  }
  size_t owners = 0;
  for (int i = 0; i < 1000; ++i) {
    owners += Has({absl::StrCat("anonymous at ", i), "default"}, 1) ? 1 : 0;
  }
  EXPECT_LE(owners, 8 * SessionCache::kOwnersPerSession);
  EXPECT_GT(owners, 0u);
}

TEST_F(SessionCacheTest, SessionsOfAGraphThatHasGoneAreDropped) {
  Put(a_, 1);
  Put(b_, 1);
  Put(b_, 2);
  graph_->gone = true;
  EXPECT_FALSE(Has(a_, 1));
  EXPECT_FALSE(Has(b_, 1));
  EXPECT_EQ(cache_.size(), 1u);
  cache_.DropGone();
  EXPECT_EQ(cache_.size(), 0u);
}

}  // namespace
}  // namespace tributary
