#include "cli/sample/ext_ids.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph_json.h"
#include "partition/format/paths.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A graph of three nodes whose folder gets a dictionary.
class ExtIdsTest : public testing::Test {
 protected:
  ExtIdsTest() : graph_(folder_.File("graph")) {
    WriteGraphTo({.num_nodes = 3, .edges = {{0, 1}}}, graph_);
    schema_ = *ReadGraphJson(graph_);
    std::filesystem::create_directory(graph_ + "/ids");
  }
  template <typename T>
  void Write(const char* array, NpyType type, const std::vector<T>& values) {
    const std::string path = ExternalIdsPath("node", array);
    std::string text =
        FormatNpyHeader(type, {static_cast<int64_t>(values.size())});
    text.append(reinterpret_cast<const char*>(values.data()),
                values.size() * sizeof(T));
    std::ofstream(graph_ + "/" + path, std::ios::binary) << text;
    schema_.files.push_back({path, text.size(), 0});
    std::ranges::sort(schema_.files, {}, &FileSchema::path);
    schema_.layout_digest = schema_.ComputeLayoutDigest();
    std::ofstream(graph_ + "/graph.json") << schema_.ToJson();
  }
  static TensorView NodeIds(const std::vector<int64_t>& ids) {
    return {"n_id",
            DType::kInt64,
            {static_cast<int64_t>(ids.size())},
            {reinterpret_cast<const uint8_t*>(ids.data()), ids.size() * 8}};
  }

  const TemporaryFolder folder_;
  const std::string graph_;
  GraphSchema schema_;
};

TEST_F(ExtIdsTest, TranslatesTexts) {
  const std::string bytes = "annbobz";
  Write<char>(kExternalBytes, kNpyUint8, {bytes.begin(), bytes.end()});
  Write<int64_t>(kExternalOffsets, kNpyInt64, {0, 3, 6, 7});
  const auto ids = ExtIds::Open(graph_);
  ASSERT_TRUE(ids.ok()) << ids.status();
  auto inputs = ids->ReadInputs("z,ann,z");
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->nodes, ElementsAre(2, 0, 2));
  const std::string file = folder_.File("ids.txt");
  std::ofstream(file) << "bob\nann\n";
  inputs = ids->ReadInputs("@" + file);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->nodes, ElementsAre(1, 0));
  std::ofstream(file) << "bob\neve\n";
  EXPECT_THAT(std::string(ids->ReadInputs("@" + file).status().message()),
              HasSubstr("ids.txt line 2: no node has the id \"eve\""));
  const std::vector<int64_t> nodes = {2, 1};
  const auto tensors = ids->TensorsOf({NodeIds(nodes)});
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_EQ(tensors->views.size(), 2);
  EXPECT_EQ(tensors->views[0].name, "ext_id_bytes");
  const auto text = tensors->views[0].As<char>();
  EXPECT_EQ(std::string(text.begin(), text.end()), "zbob");
  EXPECT_EQ(tensors->views[1].name, "ext_id_offsets");
  EXPECT_THAT(tensors->views[1].As<int64_t>(), ElementsAre(0, 1, 4));
}

TEST_F(ExtIdsTest, TranslatesNumbers) {
  Write<int64_t>(kExternalNumbers, kNpyInt64, {-4, 10, 700});
  const auto ids = ExtIds::Open(graph_);
  ASSERT_TRUE(ids.ok()) << ids.status();
  const auto inputs = ids->ReadInputs("700,-4");
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->nodes, ElementsAre(2, 0));
  EXPECT_EQ(ids->ReadInputs("11").status().code(), absl::StatusCode::kNotFound);
  const std::vector<int64_t> nodes = {1, 2, 0};
  const auto tensors = ids->TensorsOf({NodeIds(nodes)});
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  EXPECT_EQ(tensors->views[0].name, "ext_id");
  EXPECT_THAT(tensors->views[0].As<int64_t>(), ElementsAre(10, 700, -4));
}

TEST_F(ExtIdsTest, WithoutADictionaryIdsAreTheUsers) {
  const auto ids = ExtIds::Open(graph_);
  ASSERT_TRUE(ids.ok()) << ids.status();
  const auto inputs = ids->ReadInputs("2,0");
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->nodes, ElementsAre(2, 0));
  EXPECT_FALSE(ids->ReadInputs("ann").ok());
}

}  // namespace
}  // namespace tributary
