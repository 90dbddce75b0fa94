#include "partition/pipeline/inputs/text/word_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<WordTable> TableOf(const std::string& text) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/word_table-", getpid());
  std::ofstream(path, std::ios::binary) << text;
  auto table = ReadWordTable(path);
  std::remove(path.c_str());
  return table;
}

TEST(WordTableTest, ABlankLineIsARowOfOneEmptyCell) {
  const auto table = TableOf("a\n\n\nb\n\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->rows, ElementsAre(ElementsAre("a"), ElementsAre(""),
                                       ElementsAre(""), ElementsAre("b")));
}

TEST(WordTableTest, RowsHaveAsManyCellsAsTheFirst) {
  EXPECT_THAT(std::string(TableOf("a,b\n\nc,d\n").status().message()),
              HasSubstr("1 cells; the first row has 2"));
  EXPECT_EQ(TableOf("a,b\nc,\n\n")->rows.size(), 2u);
}

}  // namespace
}  // namespace tributary
