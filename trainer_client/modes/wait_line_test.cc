#include "trainer_client/modes/wait_line.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

class WaitLineTest : public testing::Test {
 protected:
  // Prints a notice with 178 s left at 10:00:00, and then one of 177 s.
  void ShowTwo(WaitLine& line) {
    const absl::Time now =
        absl::FromCivil(absl::CivilHour(2026, 1, 2, 10), absl::UTCTimeZone());
    const std::string reason = "no server answers: a:1 (connection refused)";
    line.Show({reason, absl::Seconds(178)}, now);
    line.Show({reason, absl::Seconds(177)}, now + absl::Seconds(1));
  }
  WaitLine Make(size_t columns) {
    return WaitLine("tributary sample", columns, absl::UTCTimeZone(),
                    [this](const std::string& text) { printed_ += text; });
  }
  std::string printed_;
};

TEST_F(WaitLineTest, OneLineForAWaitWithoutATerminal) {
  WaitLine line = Make(/*columns=*/0);
  const std::string once =
      "tributary sample: waiting: no server answers: a:1 (connection refused); "
      "until 10:02:58 (178 s left)\n";
  ShowTwo(line);
  EXPECT_EQ(printed_, once);
  line.Show({}, absl::Now());
  EXPECT_EQ(printed_, once);
  ShowTwo(line);
  EXPECT_EQ(printed_, once + once);
}

TEST_F(WaitLineTest, CountsOnATerminalAndErasesTheLine) {
  WaitLine line = Make(/*columns=*/200);
  ShowTwo(line);
  const std::string begin =
      "\r\x1b[Ktributary sample: waiting: no server answers: a:1 (connection "
      "refused); until 10:02:58 ";
  EXPECT_EQ(printed_, begin + "(178 s left)" + begin + "(177 s left)");
  printed_.clear();
  line.Show({}, absl::Now());
  line.Show({}, absl::Now());
  EXPECT_EQ(printed_, "\r\x1b[K");
}

TEST_F(WaitLineTest, CutsTheLineToTheTerminal) {
  WaitLine line = Make(/*columns=*/27);
  line.Show({"no server answers", absl::Seconds(9)}, absl::Now());
  EXPECT_EQ(printed_, "\r\x1b[Ktributary sample: waiting:");
}

}  // namespace
}  // namespace tributary
