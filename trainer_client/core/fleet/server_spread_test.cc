#include "trainer_client/core/fleet/server_spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<size_t, size_t>> OfAll(size_t servers, size_t clients) {
  std::vector<std::pair<size_t, size_t>> parts;
  for (size_t c = 0; c < clients; ++c) {
    parts.push_back(SpreadServers(servers, clients, c));
  }
  return parts;
}

// The two examples of GLT's documentation, and its rule for what is left over.
TEST(SpreadServers, AsGltDoes) {
  EXPECT_THAT(OfAll(4, 2), ElementsAre(Pair(0, 2), Pair(2, 4)));
  EXPECT_THAT(OfAll(2, 5), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(0, 1),
                                       Pair(1, 2), Pair(0, 1)));
  EXPECT_THAT(OfAll(5, 3), ElementsAre(Pair(0, 2), Pair(2, 4), Pair(4, 5)));
  EXPECT_THAT(OfAll(3, 3), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 3)));
  EXPECT_THAT(OfAll(0, 2), ElementsAre(Pair(0, 0), Pair(0, 0)));
}

TEST(SpreadServers, EachServerIsSomebodysAndPartsAreEven) {
  for (size_t clients = 1; clients <= 9; ++clients) {
    for (size_t servers = 1; servers <= 20; ++servers) {
      std::vector<int> owners(servers, 0);
      for (const auto& [first, end] : OfAll(servers, clients)) {
        ASSERT_LT(first, end);
        ASSERT_LE(end, servers);
        for (size_t s = first; s < end; ++s) ++owners[s];
      }
      const auto [least, most] =
          std::minmax_element(owners.begin(), owners.end());
      EXPECT_LE(*most - *least, 1) << clients << " of " << servers;
      EXPECT_GE(*least, 1);
    }
  }
}

}  // namespace
}  // namespace tributary
