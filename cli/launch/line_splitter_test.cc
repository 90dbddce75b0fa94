#include "cli/launch/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Split(size_t max_bytes,
                               std::vector<std::string> pieces) {
  std::vector<std::string> lines;
  const auto keep = [&](absl::string_view line) { lines.emplace_back(line); };
  LineSplitter splitter(max_bytes);
  for (const std::string& piece : pieces) splitter.Feed(piece, keep);
  splitter.Finish(keep);
  return lines;
}

TEST(LineSplitterTest, LinesMayComeInPieces) {
  EXPECT_THAT(Split(100, {"a", "b\nc", "\n", "\n\nd"}),
              ElementsAre("ab", "c", "d"));
}

TEST(LineSplitterTest, ACarriageReturnEndsALine) {
  EXPECT_THAT(Split(100, {"10 %\r20 %\rdone\r\nnext\r\n"}),
              ElementsAre("10 %", "20 %", "done", "next"));
}

TEST(LineSplitterTest, LongLinesComeInPieces) {
  EXPECT_THAT(Split(4, {"abcdefghij\nxy\n"}),
              ElementsAre("abcd", "efgh", "ij", "xy"));
  EXPECT_THAT(Split(4, {"ab", "cd", "\nx"}), ElementsAre("abcd", "x"));
}

}  // namespace
}  // namespace tributary
