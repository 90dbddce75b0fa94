#include "trainer_client/core/inputs/link_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<EdgeTypeLinks> Read(const std::string& text) {
  const std::string path = testing::TempDir() + "/links.csv";
  std::ofstream(path, std::ios::trunc) << text;
  EdgeTypeLinks links;
  const absl::Status status = ReadLinkFile(path, &links);
  if (!status.ok()) return status;
  return links;
}

TEST(LinkFile, PairsWithAndWithoutALastNewline) {
  for (const char* text : {"5,1\n6,2\n", "5,1\n6,2", "5,1\r\n6,2\r\n"}) {
    const auto links = Read(text);
    ASSERT_TRUE(links.ok()) << links.status();
    EXPECT_THAT(links->source, ElementsAre(5, 6));
    EXPECT_THAT(links->destination, ElementsAre(1, 2));
    EXPECT_TRUE(links->edge_label.empty());
    EXPECT_TRUE(links->edge_label_float.empty());
  }
}

TEST(LinkFile, LabelsAreWholeOrAllReal) {
  const auto whole = Read("0,1,3\n1,2,-4\n");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_THAT(whole->edge_label, ElementsAre(3, -4));
  EXPECT_TRUE(whole->edge_label_float.empty());
  const auto real = Read("0,1,3\n1,2,0.5\n2,0,1\n");
  ASSERT_TRUE(real.ok()) << real.status();
  EXPECT_TRUE(real->edge_label.empty());
  EXPECT_THAT(real->edge_label_float, ElementsAre(3, 0.5, 1));
}

TEST(LinkFile, NamesFileAndLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "line 0: the file is empty"},
      {"1,2\n\n3,4\n", "line 2: 1 columns"},
      {"1,2\n3,4,5\n", "line 2: 3 columns"},
      {"1,2,3,4\n", "line 1: 4 columns"},
      {"1\n", "line 1: 1 columns"},
      {"1,x\n", "\"1,x\" is not a link"},
      {"1, 2\n", "\"1, 2\" is not a link"},
      {"1,2.0\n", "is not a link"},
      {"9223372036854775808,2\n", "is not a link"},
      {"1,2,\n", "\"\" is not a label"},
      {"1,2,nan\n", "\"nan\" is not a label"}};
  for (const auto& [text, words] : wrong) {
    const auto links = Read(text);
    ASSERT_FALSE(links.ok()) << text;
    EXPECT_THAT(std::string(links.status().message()), HasSubstr(words));
    EXPECT_THAT(std::string(links.status().message()), HasSubstr("links.csv"));
  }
  EdgeTypeLinks unused;
  EXPECT_EQ(ReadLinkFile("/no/such/links", &unused).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
