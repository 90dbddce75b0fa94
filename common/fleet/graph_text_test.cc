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

TEST(GraphTextPages, PutsPagesOfAnyLengthTogether) {
  const std::string text = "{\"format\":\"tributary-graph\"}";
  for (size_t length = 1; length <= text.size(); ++length) {
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
  auto pages = GraphTextPages::Start(4, Sha256Of(std::string_view("abcd")));
  ASSERT_TRUE(pages.ok());
  EXPECT_TRUE(absl::IsDataLoss(pages->Add({})));
  ASSERT_TRUE(pages->Add(Bytes("abc")).ok());
  EXPECT_THAT(std::string(pages->Add(Bytes("de")).message()),
              HasSubstr("a page of graph.json has 2 bytes where 1 of 4"));
  EXPECT_EQ(pages->offset(), 3u);
}

TEST(GraphTextPages, RefusesATextOfAnotherDigest) {
  auto pages = GraphTextPages::Start(4, Sha256Of(std::string_view("abcd")));
  ASSERT_TRUE(pages.ok());
  ASSERT_TRUE(pages->Add(Bytes("abce")).ok());
  EXPECT_TRUE(absl::IsDataLoss(pages->Take().status()));
}

}  // namespace
}  // namespace tributary
