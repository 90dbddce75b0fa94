#include "channel/http/http_places.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using Lack = HttpPlaces::Lack;

class HttpPlacesTest : public testing::Test {
 protected:
  // Opens a connection of a host and returns its number.
  int Open(const std::string& host) {
    const int number = static_cast<int>(open_.size());
    open_.push_back(
        places_.Take(host, [this, number] { closed_.push_back(number); }));
    return number;
  }

  std::map<std::pair<Lack, std::string>, int> lacks_;
  HttpPlaces places_{64, [this](Lack lack, const std::string& host) {
                       ++lacks_[{lack, host}];
                     }};
  std::vector<int> closed_;
  std::vector<std::unique_ptr<HttpPlaces::Place>> open_;
};

TEST_F(HttpPlacesTest, OneHostHasHalfAndItsOldestSilentOneMakesRoom) {
  for (int i = 0; i < 250; ++i) Open("a");
  EXPECT_EQ(places_.used_by("a"), 32);
  ASSERT_EQ(closed_.size(), 250 - 32);
  for (int i = 0; i < 250 - 32; ++i) EXPECT_EQ(closed_[i], i);
  EXPECT_EQ((lacks_[{Lack::kHostShare, "a"}]), 250 - 32);
  EXPECT_EQ(lacks_.size(), 1);
  Open("b");
  EXPECT_EQ(closed_.size(), 250 - 32);
}

TEST_F(HttpPlacesTest, WhoeverHasSentARequestStaysAsLongAsOthersHaveNot) {
  open_[Open("a")]->SetAsked();
  for (int i = 0; i < 100; ++i) Open("a");
  EXPECT_EQ(closed_.front(), 1);
  for (const auto& place : open_) place->SetAsked();
  Open("a");
  EXPECT_EQ(closed_.back(), 0);
}

TEST_F(HttpPlacesTest, WhenAllAreTakenTheHostWithMostMakesRoom) {
  for (int i = 0; i < 20; ++i) Open("b");
  for (int i = 0; i < 10; ++i) Open("a");
  for (int i = 0; i < 100; ++i) Open(absl::StrCat("host ", i));
  EXPECT_EQ(places_.used(), 64);
  closed_.clear();
  const int first = Open("a new one");
  EXPECT_EQ(places_.used(), 64);
  EXPECT_EQ(places_.used_by("a new one"), 1);
  ASSERT_EQ(closed_.size(), 1);
  EXPECT_NE(closed_[0], first);
  // A second one of the same host takes the place of the first.
  Open("a new one");
  EXPECT_EQ(closed_.back(), first);
  EXPECT_GT((lacks_[{Lack::kAll, "b"}]), 0);
  EXPECT_EQ((lacks_[{Lack::kAll, "a new one"}]), 1);
}

TEST_F(HttpPlacesTest, ConnectionsThatEndLeaveTheirPlaces) {
  for (int i = 0; i < 250; ++i) Open("a");
  open_.clear();
  EXPECT_EQ(places_.used(), 0);
  closed_.clear();
  for (int i = 0; i < 32; ++i) Open("a");
  EXPECT_TRUE(closed_.empty());
}

}  // namespace
}  // namespace tributary
