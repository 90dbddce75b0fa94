#include "partition/source/input_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

class InputProgressTest : public ::testing::Test {
 protected:
  std::vector<std::string> said_;
  InputProgress progress_{[this](std::string_view stage, int64_t done,
                                 int64_t total) {
    said_.push_back(absl::StrCat(std::string(stage), " ", done, "/", total));
  }};
};

TEST_F(InputProgressTest, AddsUpTheParts) {
  progress_.Begin("reads");
  progress_.Expect("a", 10);
  progress_.Expect("b", 30);
  progress_.Expect("b", 30);  // known
  progress_.Advance("a", 4);
  progress_.Advance("b", 30);
  progress_.Advance("other", 5);  // not expected
  progress_.Advance("a", 3);      // read again from the beginning
  progress_.Advance("a", 11);     // has grown
  progress_.Begin("sorts");
  progress_.Expect("a", 2);
  progress_.Finish();
  EXPECT_THAT(said_, ElementsAre("reads 0/0", "reads 4/40", "reads 34/40",
                                 "reads 40/40", "reads 40/40", "sorts 0/0",
                                 "sorts 2/2"));
}

TEST_F(InputProgressTest, PartsThatComeLateDoNotMoveTheShareBack) {
  progress_.Begin("reads");
  progress_.Expect("a", 10);
  progress_.Advance("a", 5);
  progress_.Expect("b", 10);
  progress_.Advance("a", 6);
  progress_.Advance("b", 10);
  EXPECT_THAT(said_, ElementsAre("reads 0/0", "reads 5/10", "reads 10/20",
                                 "reads 16/20"));
}

TEST_F(InputProgressTest, AStageWithoutPartsHasNoTotal) {
  progress_.Begin("reads");
  progress_.Finish();
  EXPECT_THAT(said_, ElementsAre("reads 0/0"));
}

}  // namespace
}  // namespace tributary
