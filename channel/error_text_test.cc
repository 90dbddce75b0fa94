#include "channel/error_text.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(ErrorText, IsCutAndAlwaysUtf8) {
  EXPECT_EQ(ErrorText(absl::InternalError("row 3 of 2")), "row 3 of 2");
  EXPECT_EQ(ErrorText(absl::InternalError("name '\xff'")), "name \\'\\xff\\'");
  EXPECT_EQ(ErrorText(absl::InternalError("job 'a\n\x1b[2J'")),
            "job \\'a\\n\\x1b[2J\\'");
  EXPECT_EQ(ErrorText(absl::InternalError(std::string(5000, '\n'))).size(),
            4096);
  EXPECT_EQ(ErrorText(absl::InternalError(std::string(5000, 'a'))),
            std::string(4096, 'a'));
}

// Whatever the other end sends is an error, and one of absl's.
TEST(ErrorFrom, TakesKnownCodesAndCutsTheText) {
  EXPECT_EQ(ErrorFrom(5, "no split"), absl::NotFoundError("no split"));
  EXPECT_EQ(ErrorFrom(16, "who"), absl::UnauthenticatedError("who"));
  for (const int32_t code : {0, -1, 17, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(ErrorFrom(code, "").code(), absl::StatusCode::kUnknown) << code;
    EXPECT_FALSE(ErrorFrom(code, "").ok()) << code;
  }
  EXPECT_EQ(ErrorFrom(13, "a\nb").message(), "a\\nb");
  EXPECT_EQ(ErrorFrom(13, std::string(5000, 'a')).message(),
            std::string(4096, 'a'));
}

}  // namespace
}  // namespace tributary
