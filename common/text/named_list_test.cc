#include "common/text/named_list.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(NamedListTest, NamesEightAndCountsTheOthers) {
  EXPECT_EQ(NamedList(std::vector<std::string>()), "");
  EXPECT_EQ(NamedList(std::vector<std::string>{"a", "b"}), "a, b");
  std::set<uint32_t> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(NamedList(numbers), "0, 1, 2, 3, 4, 5, 6, 7");
  numbers.insert(8);
  EXPECT_EQ(NamedList(numbers), "0, 1, 2, 3, 4, 5, 6, 7 and 1 more");
  EXPECT_EQ(NamedList(numbers, 2), "0, 1 and 7 more");
}

}  // namespace
}  // namespace tributary
