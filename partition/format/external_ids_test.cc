#include "partition/format/external_ids.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/paths.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using testing::HasSubstr;

class ExternalIdsTest : public testing::Test {
 protected:
  ExternalIdsTest() {
    NodeTypeSchema user;
    user.name = "user";
    user.num_nodes = 4;
    schema_.node_types.push_back(user);
    std::filesystem::create_directory(folder_.File("ids"));
  }
  template <typename T>
  void Write(const char* array, NpyType type, const std::vector<T>& values) {
    const std::string path = ExternalIdsPath("user", array);
    std::ofstream out(folder_.File(path), std::ios::binary);
    out << FormatNpyHeader(type, {static_cast<int64_t>(values.size())});
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
    schema_.files.push_back({path, 0, 0});
  }
  void WriteTexts(const std::vector<int64_t>& offsets,
                  const std::string& bytes) {
    schema_.files.clear();
    Write(kExternalOffsets, kNpyInt64, offsets);
    Write(kExternalBytes, kNpyUint8,
          std::vector<char>(bytes.begin(), bytes.end()));
  }
  absl::StatusOr<std::optional<ExternalIds>> Open() {
    return ExternalIds::Open(folder_.path(), schema_, "user");
  }

  const TemporaryFolder folder_;
  GraphSchema schema_;
};

TEST_F(ExternalIdsTest, AGraphMayHaveNone) {
  const auto ids = Open();
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_FALSE(ids->has_value());
  EXPECT_EQ(ExternalIds::Open(folder_.path(), schema_, "item").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ExternalIdsTest, FindsNumbers) {
  Write<int64_t>(kExternalNumbers, kNpyInt64, {-7, 3, 10, 900});
  const auto ids = Open();
  ASSERT_TRUE(ids.ok()) << ids.status();
  ASSERT_TRUE((*ids)->is_numbers());
  EXPECT_EQ(*(*ids)->IdOf(0), "-7");
  EXPECT_EQ(*(*ids)->IdOf(3), "900");
  EXPECT_EQ((*ids)->IdOf(4).status().code(), absl::StatusCode::kOutOfRange);
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(*(*ids)->Find(*(*ids)->IdOf(i)), i);
  }
  for (const char* id : {"4", "901", "-8", "x", ""}) {
    EXPECT_EQ((*ids)->Find(id).status().code(), absl::StatusCode::kNotFound);
  }
}

TEST_F(ExternalIdsTest, FindsTexts) {
  WriteTexts({0, 3, 6, 9, 10}, "Zoeannb\xc3\xa9z");
  const auto ids = Open();
  ASSERT_TRUE(ids.ok()) << ids.status();
  ASSERT_FALSE((*ids)->is_numbers());
  const std::vector<std::string> wanted = {"Zoe", "ann", "b\xc3\xa9", "z"};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(*(*ids)->IdOf(i), wanted[i]);
    EXPECT_EQ(*(*ids)->Find(wanted[i]), i);
  }
  for (const char* id : {"", "Zo", "Zoea", "zz"}) {
    EXPECT_EQ((*ids)->Find(id).status().code(), absl::StatusCode::kNotFound);
  }
}

TEST_F(ExternalIdsTest, DamageIsDataLoss) {
  Write<int64_t>(kExternalNumbers, kNpyInt64, {1, 2, 3});
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Open().status().message()), HasSubstr("has 3 rows"));
  WriteTexts({0, 3, 99, 3, 4}, "abcd");
  const auto ids = Open();
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_EQ((*ids)->IdOf(1).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ((*ids)->IdOf(2).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
