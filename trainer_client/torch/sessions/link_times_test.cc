#include "trainer_client/torch/sessions/link_times.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Write(const std::string& contents) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/times";
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

std::string Npy(NpyType type, const std::vector<int64_t>& values) {
  std::string bytes =
      FormatNpyHeader(type, {static_cast<int64_t>(values.size())});
  const size_t header = bytes.size();
  bytes.resize(header + values.size() * sizeof(int64_t));
  std::memcpy(bytes.data() + header, values.data(), bytes.size() - header);
  return bytes;
}

GraphSchema OneType(const std::string& made_by, bool timed) {
  GraphSchema schema;
  schema.name = "mails";
  schema.made_by = made_by;
  schema.node_types = {{.name = "node"}};
  schema.edge_types = {{.src = "node", .rel = "to", .dst = "node"}};
  schema.edge_types[0].timed = timed;
  return schema;
}

TEST(LinkTimesTest, ATimeInEachLine) {
  EXPECT_THAT(*ReadEdgeTimes(Write("7\n-3\n1082040961\n")),
              ElementsAre(7, -3, 1082040961));
  EXPECT_THAT(*ReadEdgeTimes(Write("7\r\n8")), ElementsAre(7, 8));
  EXPECT_THAT(*ReadEdgeTimes(Write("7\n8\n\n\n")), ElementsAre(7, 8));
}

TEST(LinkTimesTest, AVectorOfNumpy) {
  EXPECT_THAT(*ReadEdgeTimes(Write(Npy(kNpyInt64, {5, -1}))),
              ElementsAre(5, -1));
  EXPECT_THAT(*ReadEdgeTimes(Write(Npy(kNpyUint64, {5}))), ElementsAre(5));
}

TEST(LinkTimesTest, WrongFilesAreNamed) {
  for (const auto& [contents, text] :
       {std::pair<std::string, std::string>{"", "the file is empty"},
        {"1\n2.5\n", "line 2 is \"2.5\"; allowed: a whole number"},
        {"1\n\n2\n", "line 2 is \"\""},
        {Npy({'f', 8}, {INT64_MAX}), "element 0 of type <f8 is none"},
        {Npy(kNpyInt64, {1, 2}).substr(0, 130), "bytes of elements"}}) {
    const std::string path = Write(contents);
    const absl::Status status = ReadEdgeTimes(path).status();
    EXPECT_THAT(status.message(), HasSubstr(path));
    EXPECT_THAT(status.message(), HasSubstr(text));
  }
  EXPECT_EQ(ReadEdgeTimes("/nowhere").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(LinkTimesTest, OneTypeHasOneFile) {
  std::vector<LinkSplits> types{{.edge_type = "a,r,b"}};
  ASSERT_TRUE(ParseEdgeTimeFiles("C:times", &types).ok());
  EXPECT_EQ(types[0].edge_time_file, "C:times");
  EXPECT_FALSE(ParseEdgeTimeFiles("", &types).ok());
  ASSERT_TRUE(ParseEdgeTimeFiles("a,r,b:times", &types).ok());
  EXPECT_EQ(types[0].edge_time_file, "times");
  EXPECT_FALSE(ParseEdgeTimeFiles("a,r,b:", &types).ok());
  types = {{.edge_type = ""}};  // of a graph without types
  ASSERT_TRUE(ParseEdgeTimeFiles(":times", &types).ok());
  EXPECT_EQ(types[0].edge_time_file, ":times");
}

TEST(LinkTimesTest, SeveralTypesHaveAFileEach) {
  const std::vector<LinkSplits> none{{.edge_type = "a,r,b"},
                                     {.edge_type = "a,r,b:c"}};
  std::vector<LinkSplits> types = none;
  ASSERT_TRUE(ParseEdgeTimeFiles("a,r,b:c:one;a,r,b:two", &types).ok());
  EXPECT_EQ(types[0].edge_time_file, "two");
  EXPECT_EQ(types[1].edge_time_file, "one");
  for (const char* wrong : {"times", "a,r,b:one", "a,r,b:one;a,r,b:two",
                            "a,r,b:one;a,r,b:c:", "a,r,b:one;x,r,b:two"}) {
    types = none;
    EXPECT_THAT(ParseEdgeTimeFiles(wrong, &types).message(),
                HasSubstr("--edge-time is"))
        << wrong;
  }
}

TEST(LinkTimesTest, TimesAreByEdgeId) {
  std::vector<LinkSplits> types{{.edge_time_file = Write("4\n6\n")}};
  ASSERT_TRUE(
      ReadLinkTimes(OneType("partition", true), TimeMode::kEdge, &types).ok());
  EXPECT_THAT(*types[0].edge_time, ElementsAre(4, 6));
  types[0].edge_time_file = "node,to,node:" + types[0].edge_time_file;
  ASSERT_TRUE(
      ReadLinkTimes(OneType("partition", true), TimeMode::kEdge, &types).ok());
  EXPECT_THAT(*types[0].edge_time, ElementsAre(4, 6));
  // Rows 0 and 1 became the edges 0, 1 and 2, 3.
  ASSERT_TRUE(ReadLinkTimes(OneType("partition --add-reverse", true),
                            TimeMode::kEdge, &types)
                  .ok());
  EXPECT_THAT(*types[0].edge_time, ElementsAre(4, 4, 6, 6));
}

TEST(LinkTimesTest, AGraphWithoutTimesIsRefused) {
  std::vector<LinkSplits> types{{.edge_time_file = Write("4\n")}};
  const GraphSchema schema = OneType("partition", false);
  EXPECT_THAT(ReadLinkTimes(schema, TimeMode::kEdge, &types).message(),
              HasSubstr("node,to,node of graph mails have no times; allowed: a "
                        "graph made with partition --edge-time"));
  // Only the nodes' times are compared with the links'.
  EXPECT_TRUE(ReadLinkTimes(schema, TimeMode::kNode, &types).ok());
}

}  // namespace
}  // namespace tributary
