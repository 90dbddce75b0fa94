#include "common/text/html_text.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(HtmlTextTest, LeavesOrdinaryTextAsItIs) {
  EXPECT_EQ(HtmlText("train-a/7 \xe5\x9b\xbe"), "train-a/7 \xe5\x9b\xbe");
}

TEST(HtmlTextTest, NothingEndsAnElementOrAValue) {
  EXPECT_EQ(HtmlText("</td><script>alert(1)</script>"),
            "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(HtmlText("\" onload='x'"), "&quot; onload=&#39;x&#39;");
  EXPECT_EQ(HtmlText("&lt;"), "&amp;lt;");
}

TEST(HtmlTextTest, ControlAndNoCharactersAreEscaped) {
  EXPECT_EQ(HtmlText(std::string("a\0b\n\x1b[2J", 8)), "a\\x00b\\n\\x1b[2J");
  EXPECT_EQ(HtmlText("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
  EXPECT_EQ(HtmlText("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right to left
}

}  // namespace
}  // namespace tributary
