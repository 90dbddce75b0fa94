// The table of docs/sampling/sessions.md is that of the programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "trainer_client/core/session_text/session_table.h"
#include "trainer_client/torch/command/train_session.h"

namespace tributary {
namespace {

// Returns the page's rows of options.
std::vector<std::string> Rows() {
  std::ifstream page("docs/sampling/sessions.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (absl::StartsWith(line, "| `")) rows.push_back(line);
  }
  return rows;
}

TEST(SessionsPageTest, HasEachOptionWithItsKindsAndDefault) {
  std::vector<std::string> expected;
  for (const SessionOption& option : SessionTable()) {
    const std::string kinds = option.words.kinds.empty()
                                  ? "all"
                                  : absl::StrJoin(option.words.kinds, ", ");
    const std::string by_default = option.Default();
    expected.push_back(absl::StrCat(
        "| `", option.words.name, "` | ", kinds, " | ",
        by_default.empty() ? "" : absl::StrCat("`", by_default, "` "), "| ",
        IsTakenByTrain(option.words.name) ? "yes |" : "no |"));
  }
  EXPECT_EQ(absl::StrJoin(Rows(), "\n"), absl::StrJoin(expected, "\n"));
}

}  // namespace
}  // namespace tributary
