#include "trainer_client/core/inputs/negative_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/tensor/npy.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<NegativeList> Read(const std::string& text) {
  const std::string path = testing::TempDir() + "/negatives.csv";
  std::ofstream(path, std::ios::trunc) << text;
  return ReadNegativeFile(path);
}

TEST(NegativeFile, ALineForEachLink) {
  for (const char* text :
       {"5,1,0\n6,2,0\n", "5,1,0\n6,2,0", "5,1,0\r\n6,2,0\r\n"}) {
    const auto list = Read(text);
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_EQ(list->each, 3u);
    EXPECT_THAT(list->destination, ElementsAre(5, 1, 0, 6, 2, 0));
  }
  EXPECT_EQ(Read("7\n8\n")->each, 1u);
}

std::string Array(NpyType type, const std::vector<int64_t>& shape,
                  const std::vector<int32_t>& values) {
  std::string bytes = FormatNpyHeader(type, shape);
  bytes.append(reinterpret_cast<const char*>(values.data()),
               values.size() * sizeof(int32_t));
  return bytes;
}

TEST(NegativeFile, ARowOfAnArrayForEachLink) {
  const auto list = Read(Array({'i', 4}, {2, 3}, {5, 1, 0, 6, 2, 0}));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->each, 3u);
  EXPECT_THAT(list->destination, ElementsAre(5, 1, 0, 6, 2, 0));
  const std::pair<std::string, const char*> wrong[] = {
      {Array({'i', 4}, {6}, {5, 1, 0, 6, 2, 0}), "shape (6)\nallowed: a line"},
      {Array({'i', 4}, {2, 0}, {}), "shape (2, 0)"},
      {Array({'i', 4}, {2, 2}, {5, 1, 0}), "12 bytes of elements, but 16"},
      {Array({'f', 4}, {1, 1}, {0}), "elements of type <f4\nallowed: "}};
  for (const auto& [bytes, words] : wrong) {
    EXPECT_THAT(std::string(Read(bytes).status().message()), HasSubstr(words));
  }
}

TEST(NegativeFile, NamesFileAndLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "the file is empty"},
      {"1,2\n\n3,4\n", "line 2: \"\" is not an id"},
      {"1,2\n3,4,5\n", "line 2: 3 ids; line 1 has 2"},
      {"1,2\n3\n", "line 2: 1 ids; line 1 has 2"},
      {"1,\n", "line 1: \"\" is not an id"},
      {",1\n", "line 1: \"\" is not an id"},
      {"1, 2\n", "line 1: \" 2\" is not an id"},
      {"1,2.0,3\n", "line 1: \"2.0\" is not an id"},
      {"9223372036854775808\n", "is not an id"},
      {"a,b\n", "line 1: \"a\" is not an id"}};
  for (const auto& [text, words] : wrong) {
    const auto list = Read(text);
    ASSERT_FALSE(list.ok()) << text;
    EXPECT_THAT(std::string(list.status().message()), HasSubstr(words));
    EXPECT_THAT(std::string(list.status().message()),
                HasSubstr("negatives.csv"));
  }
  EXPECT_EQ(ReadNegativeFile("/no/such/negatives").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
