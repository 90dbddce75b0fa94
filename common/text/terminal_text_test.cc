#include "common/text/terminal_text.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(TerminalLine, Utf8Stays) {
  EXPECT_EQ(TerminalLine("/data/K\u00f6ln/\u6570\u636e/\U0001f600"),
            "/data/K\u00f6ln/\u6570\u636e/\U0001f600");
  EXPECT_EQ(TerminalLine(""), "");
}

TEST(TerminalLine, WhatMovesACursorIsSpeltOut) {
  EXPECT_EQ(TerminalLine("a\nb\t\r\x1b[31m\x7f"), "a\\nb\\t\\r\\x1b[31m\\x7f");
  EXPECT_EQ(TerminalLine("\u009b2J"), "\\xc2\\x9b2J");  // CSI in one byte
  EXPECT_EQ(TerminalLine("a\u202egpj.exe"), "a\\xe2\\x80\\xaegpj.exe");
  EXPECT_EQ(TerminalLine("a\u2028"
                         "b"),
            "a\\xe2\\x80\\xa8"
            "b");
}

TEST(TerminalLine, BytesThatAreNoUtf8AreSpeltOut) {
  EXPECT_EQ(TerminalLine("\xff"), "\\xff");
  EXPECT_EQ(TerminalLine("a\x80z"), "a\\x80z");       // alone
  EXPECT_EQ(TerminalLine("\xc3"), "\\xc3");           // cut off
  EXPECT_EQ(TerminalLine("\xc0\xaf"), "\\xc0\\xaf");  // not the shortest
  EXPECT_EQ(TerminalLine("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");
  EXPECT_EQ(TerminalLine("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(TerminalLine("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(TerminalLine, TheMiddleOfALongOneIsLeftOut) {
  const std::string line =
      TerminalLine(std::string(3000, 'a') + std::string(3000, 'b'));
  EXPECT_EQ(line, std::string(1400, 'a') + " ... (4100 bytes left out) ... " +
                      std::string(500, 'b'));
  EXPECT_EQ(TerminalLine(std::string(2000, 'a')), std::string(2000, 'a'));
}

TEST(TerminalLine, ACutFallsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u6570";  // 3 bytes each
  const std::string line = TerminalLine(text);
  EXPECT_EQ(line.find("\\x"), std::string::npos) << line;
  EXPECT_NE(line.find(" bytes left out"), std::string::npos);
}

TEST(TerminalError, ThreeLinesAtMost) {
  EXPECT_EQ(TerminalError("me", "a\nb\x1b\nc\nd"), "me: a\nb\\x1b\nc\n");
  EXPECT_EQ(TerminalError("me", "a"), "me: a\n");
}

}  // namespace
}  // namespace tributary
