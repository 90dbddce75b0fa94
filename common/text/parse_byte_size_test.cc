#include "common/text/parse_byte_size.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(ParseByteSize, TakesUnits) {
  EXPECT_EQ(*ParseByteSize("4096"), 4096);
  EXPECT_EQ(*ParseByteSize("0"), 0);
  EXPECT_EQ(*ParseByteSize("64MB"), 64 << 20);
  EXPECT_EQ(*ParseByteSize("64 mib"), 64 << 20);
  EXPECT_EQ(*ParseByteSize("1.5GiB"), 1536ull << 20);
  EXPECT_EQ(*ParseByteSize("1GB"), 1ull << 30);
  EXPECT_EQ(*ParseByteSize(" 3k "), 3072);
  EXPECT_EQ(*ParseByteSize("7b"), 7);
}

TEST(ParseByteSize, RefusesOthersWithTheText) {
  for (const char* text : {"", "MB", "-1", "1TBB", "1e6", "1.2.3", "x", "1 2",
                           "9007199254740994", "99999999999G", "1ib"}) {
    const auto size = ParseByteSize(text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_NE(size.status().message().find(text), std::string::npos);
  }
}

}  // namespace
}  // namespace tributary
