#include "common/runtime/promised.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace tributary {
namespace {

TEST(Promised, GivesWhatWasSetOnce) {
  Promised<std::unique_ptr<int>> promised;
  promised.Set(std::make_unique<int>(7));
  const auto value = promised.Wait(absl::ZeroDuration());
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(**value, 7);
  EXPECT_FALSE(promised.Wait(absl::ZeroDuration()).has_value());
}

TEST(Promised, NothingComesInTime) {
  Promised<int> promised;
  EXPECT_FALSE(promised.Wait(absl::Milliseconds(1)).has_value());
}

TEST(Promised, WakesWhoWaits) {
  Promised<int> promised;
  std::thread brings([&promised] { promised.Set(3); });
  EXPECT_EQ(promised.Wait(absl::Seconds(60)), 3);
  brings.join();
}

}  // namespace
}  // namespace tributary
