#include "common/fleet/graph_text.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

absl::Span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(GraphTextPages, PutsPagesTogether) {
  std::string text(2 * kGraphPageBytes + 5, ' ');
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>('a' + i % 23);
  }
  for (const size_t length :
       {kGraphPageBytes, kGraphPageBytes + 1, text.size()}) {
    auto pages = GraphTextPages::Start(text.size(), Sha256Of(text));
    ASSERT_TRUE(pages.ok());
    while (!pages->complete()) {
      ASSERT_TRUE(
          pages->Add(Bytes(text).subspan(pages->offset(), length)).ok());
    }
    EXPECT_EQ(*pages->Take(), text);
  }
}

TEST(GraphTextPages, RefusesTextsThatAreNotServed) {
  for (const uint64_t bytes :
       {uint64_t{0}, uint64_t{kMaxGraphTextBytes} + 1, UINT64_MAX}) {
    const auto pages = GraphTextPages::Start(bytes, Sha256Digest{});
    EXPECT_TRUE(absl::IsDataLoss(pages.status())) << bytes;
  }
  EXPECT_TRUE(GraphTextPages::Start(kMaxGraphTextBytes, Sha256Digest{}).ok());
}

TEST(GraphTextPages, RefusesPagesThatDoNotFit) {
  const std::string text(kGraphPageBytes + 1, 'a');
  auto pages = GraphTextPages::Start(text.size(), Sha256Of(text));
  ASSERT_TRUE(pages.ok());
  EXPECT_TRUE(absl::IsDataLoss(pages->Add({})));
  // All but the last page are full.
  EXPECT_TRUE(
      absl::IsDataLoss(pages->Add(Bytes(text).first(kGraphPageBytes - 1))));
  ASSERT_TRUE(pages->Add(Bytes(text).first(kGraphPageBytes)).ok());
  EXPECT_THAT(std::string(pages->Add(Bytes("de")).message()),
              HasSubstr("a page of graph.json has 2 bytes where 1 of"));
  EXPECT_EQ(pages->offset(), kGraphPageBytes);
}

TEST(GraphTextPages, RefusesATextOfAnotherDigest) {
  auto pages = GraphTextPages::Start(4, Sha256Of(std::string_view("abcd")));
  ASSERT_TRUE(pages.ok());
  ASSERT_TRUE(pages->Add(Bytes("abce")).ok());
  EXPECT_TRUE(absl::IsDataLoss(pages->Take().status()));
}

}  // namespace
}  // namespace tributary
