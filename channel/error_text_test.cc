#include "channel/error_text.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(ErrorText, IsCutAndAlwaysUtf8) {
  EXPECT_EQ(ErrorText(absl::InternalError("row 3 of 2")), "row 3 of 2");
  EXPECT_EQ(ErrorText(absl::InternalError("name '\xff'")), "name \\'\\xff\\'");
  EXPECT_EQ(ErrorText(absl::InternalError(std::string(5000, 'a'))),
            std::string(4096, 'a'));
}

}  // namespace
}  // namespace tributary
