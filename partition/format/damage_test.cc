// A damaged, truncated, foreign or missing file gives an error that names it:
// at open or, if only reading all of it can tell, at open with verify.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr char kEdges[] = "part-1/edges/node__to__node/";

std::string ReadAll(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void WriteAll(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class DamageTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteGraphTo({.num_nodes = 6,
                  .edges = {{0, 1}, {2, 1}, {3, 3}, {5, 3}, {1, 0}},
                  .num_partitions = 2,
                  .x = {1, 2, 3, 4, 5, 6},
                  .y = {0, 1, 0, 1, 0, 1},
                  .edge_attr = {1, 2, 3, 4, 5},
                  .node_time = {6, 5, 4, 3, 2, 1},
                  .weight = {0, 1, 2, 3, 4},
                  .edge_time = {9, 8, 7, 6, 5},
                  .masks = {{"train", {1, 0, 1, 1, 0}}},
                  .neighbor_ids = true,
                  .degrees = true,
                  .edge_index = true,
                  .splits = {{"train", {0, 3}}}},
                 graph_);
  }

  std::string File(const std::string& path) const {
    return graph_ + "/" + path;
  }
  // Returns the text of graph.json with the first `from` replaced.
  std::string GraphJsonWith(const std::string& from,
                            const std::string& to) const {
    std::string text = ReadAll(File("graph.json"));
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  void Flip(const std::string& path, size_t at) {
    std::string text = ReadAll(File(path));
    ASSERT_LT(at, text.size());
    text[at] = static_cast<char>(text[at] ^ 1);
    WriteAll(File(path), text);
  }
  absl::Status Open(const OpenOptions& options = {}) {
    return Graph::Open(graph_, options).status();
  }
  void ExpectRefused(const std::string& file, absl::StatusCode code,
                     const OpenOptions& options = {}) {
    const absl::Status status = Open(options);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(file));
  }

  TemporaryFolder folder_;
  const std::string graph_ = folder_.File("graph");
};

// Every array of the graph, at the first byte of its data.
TEST_F(DamageTest, VerifyFindsOneBitInAnyFile) {
  ASSERT_TRUE(Open({.verify = true}).ok());
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(graph_)) {
    if (entry.path().extension() != ".npy") continue;
    const std::string path = fs::relative(entry.path(), graph_);
    Flip(path, fs::file_size(entry.path()) - 1);
    ExpectRefused(path, absl::StatusCode::kDataLoss, {.verify = true});
    Flip(path, fs::file_size(entry.path()) - 1);
    ++files;
  }
  EXPECT_EQ(files,
            2 * (4 + 12) + 2 + 2 + 2 + 1);  // parts, map, degrees, index, split
  EXPECT_TRUE(Open({.verify = true}).ok());
}

TEST_F(DamageTest, AnyTruncatedFileIsRefusedAtOpen) {
  for (const auto& entry : fs::recursive_directory_iterator(graph_)) {
    if (entry.path().extension() != ".npy") continue;
    const std::string path = entry.path();
    const std::string whole = ReadAll(path);
    WriteAll(path, whole.substr(0, whole.size() - 1));
    ExpectRefused(path, absl::StatusCode::kDataLoss);
    WriteAll(path, "");
    ExpectRefused(path, absl::StatusCode::kDataLoss);
    WriteAll(path, whole);
  }
}

TEST_F(DamageTest, AnyMissingFileIsRefusedAtOpen) {
  for (const auto& entry : fs::recursive_directory_iterator(graph_)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path(), aside = folder_.File("aside");
    fs::rename(path, aside);
    ExpectRefused(path, absl::StatusCode::kNotFound);
    fs::rename(aside, path);
  }
}

TEST_F(DamageTest, ForeignFileOfTheSameLengthIsRefused) {
  const std::string path = std::string(kEdges) + "indices.npy";
  WriteAll(File(path), std::string(fs::file_size(File(path)), 'x'));
  ExpectRefused(path, absl::StatusCode::kDataLoss);
}

TEST_F(DamageTest, ArrayOfAnotherTypeOrShapeIsRefused) {
  const std::string path = "part-0/nodes/node/x.npy";
  const std::string whole = ReadAll(File(path));
  const std::string ints = FormatNpyHeader({'i', 4}, {3, 1});
  WriteAll(File(path), ints + whole.substr(ints.size()));
  ExpectRefused(path, absl::StatusCode::kDataLoss);
  const std::string flat = FormatNpyHeader({'f', 4}, {3});
  WriteAll(File(path), flat + whole.substr(flat.size()));
  ExpectRefused(path, absl::StatusCode::kDataLoss);
}

// indptr decides what is read, so it is checked without verify too.
TEST_F(DamageTest, IndptrThatDoesNotAscendIsRefused) {
  const std::string path = std::string(kEdges) + "indptr.npy";
  const size_t data = fs::file_size(File(path)) - 4 * sizeof(uint64_t);
  Flip(path, data + sizeof(uint64_t) + 6);  // the second entry: 2^48 more
  ExpectRefused(path, absl::StatusCode::kDataLoss);
}

TEST_F(DamageTest, WeightsAndTimesOfAnotherTypeAreRefused) {
  const std::pair<const char*, NpyType> cases[] = {
      {"weight", {'f', 4}},     {"weight_sum", {'i', 8}},
      {"edge_time", {'u', 8}},  {"edge_time_position", {'i', 4}},
      {"mask.train", {'u', 1}}, {"neighbor_id", {'f', 8}}};
  for (const auto& [array, type] : cases) {
    const std::string path = kEdges + std::string(array) + ".npy";
    const std::string whole = ReadAll(File(path));
    const std::string header = FormatNpyHeader(type, {4});
    WriteAll(File(path), header + whole.substr(header.size()));
    ExpectRefused(path, absl::StatusCode::kDataLoss);
    WriteAll(File(path), whole);
  }
  EXPECT_TRUE(Open().ok());
}

// The same graph with its features as scaled rows.
class ScaledDamageTest : public DamageTest {
 protected:
  void SetUp() override {
    WriteGraphTo({.num_nodes = 6,
                  .edges = {{0, 1}, {2, 1}, {3, 3}, {5, 3}, {1, 0}},
                  .num_partitions = 2,
                  .x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0},
                  .x_dim = 2,
                  .y = {0, 1, 0, 1, 0, 1},
                  .edge_attr = {1, 2, 3, 4, 5},
                  .scaled = true},
                 graph_);
  }

  // Replaces the header of an array by one of the same length.
  void SetHeader(const std::string& path, const std::string& header) {
    const std::string whole = ReadAll(File(path));
    ASSERT_EQ(FormatNpyHeader(NpyTypeOfScaledRows(2), {3}).size(),
              header.size());
    WriteAll(File(path), header + whole.substr(header.size()));
  }
};

TEST_F(ScaledDamageTest, VerifyFindsOneBitOfValueOrScale) {
  ASSERT_TRUE(Open({.verify = true}).ok());
  for (const std::string& path : {std::string("part-0/nodes/node/x.npy"),
                                  kEdges + std::string("edge_attr.npy")}) {
    const size_t end = fs::file_size(File(path));
    for (const size_t at : {end - 1, end - 5}) {
      Flip(path, at);
      EXPECT_TRUE(Open().ok());
      ExpectRefused(path, absl::StatusCode::kDataLoss, {.verify = true});
      Flip(path, at);
    }
    const std::string whole = ReadAll(File(path));
    WriteAll(File(path), whole.substr(0, end - 1));
    ExpectRefused(path, absl::StatusCode::kDataLoss);
    WriteAll(File(path), whole);
  }
}

TEST_F(ScaledDamageTest, RecordsOfAnotherFormAreRefused) {
  const std::string path = "part-0/nodes/node/x.npy";
  for (const std::string& header :
       {FormatNpyHeader(NpyTypeOfScaledRows(1), {3}),
        FormatNpyHeader(NpyTypeOfScaledRows(0), {3}),
        FormatNpyHeader(NpyTypeOfScaledRows(2), {2})}) {
    SetHeader(path, header);
    ExpectRefused(path, absl::StatusCode::kDataLoss);
  }
  SetHeader(path, FormatNpyHeader(NpyTypeOfScaledRows(2), {3}));
  EXPECT_TRUE(Open({.verify = true}).ok());
}

// Only x and edge_attr of int8 are scaled, and the flag is true or absent.
TEST_F(ScaledDamageTest, OtherScaledColumnsAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {GraphJsonWith("\"dtype\":\"int8\",\"scaled\":true",
                     "\"dtype\":\"float16\",\"scaled\":true"),
       "allowed: x and edge_attr of int8"},
      {GraphJsonWith("\"dtype\":\"int64\"",
                     "\"dtype\":\"int8\",\"scaled\":true"),
       "y of node is scaled int8"},
      {GraphJsonWith("\"scaled\":true", "\"scaled\":false"),
       "scaled is true where it is there"},
      {GraphJsonWith("\"scaled\":true", "\"scaled\":1"),
       "scaled is neither true nor false"},
      {GraphJsonWith(",\"scaled\":true", ""), "layout_digest"},
  };
  for (const auto& [text, message] : cases) {
    WriteAll(File("graph.json"), text);
    ExpectRefused(message, absl::StatusCode::kDataLoss);
  }
}

TEST_F(DamageTest, PartitionThatIsNotAskedForMayBeMissing) {
  fs::remove_all(File("part-0"));
  EXPECT_TRUE(Open({.partitions = {1}, .verify = true}).ok());
  ExpectRefused("part-0", absl::StatusCode::kNotFound, {.partitions = {0}});
  ExpectRefused("part-0", absl::StatusCode::kNotFound);
}

TEST_F(DamageTest, UnknownPartitionIsRefused) {
  const absl::Status status = Open({.partitions = {0, 2}});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("0 to 1"));
}

TEST_F(DamageTest, GraphJsonIsRefusedWhenChanged) {
  const std::string whole = ReadAll(File("graph.json"));
  const std::pair<std::string, absl::StatusCode> cases[] = {
      {whole.substr(0, whole.size() / 2), absl::StatusCode::kDataLoss},
      {"", absl::StatusCode::kDataLoss},
      {"[]", absl::StatusCode::kDataLoss},
      {std::string(100000, '['), absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"tributary-graph\"", "\"dgl\""),
       absl::StatusCode::kInvalidArgument},
      {GraphJsonWith("\"format_version\":1", "\"format_version\":2"),
       absl::StatusCode::kInvalidArgument},
      {GraphJsonWith("\"semantics_version\":1", "\"semantics_version\":7"),
       absl::StatusCode::kInvalidArgument},
      {GraphJsonWith("\"name\":\"test\"", "\"name\":\"tset\""),
       absl::StatusCode::kDataLoss},  // the layout digest covers it
      {GraphJsonWith("\"num_nodes\":6", "\"num_nodes\":7"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"num_nodes\":6", "\"num_nodes\":-6"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("[0,3,6]", "[0,7,6]"), absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"num_partitions\":2", "\"num_partitions\":0"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"float32\"", "\"float12\""),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("part-0/nodes/node/orig_id.npy",
                     "../../nodes/node/orig_id.npy"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"splits\"", "\"slips\""), absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"weight\":\"float64\"", "\"weight\":\"int64\""),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"weight\":\"float64\"", "\"weight\":true"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"timed\":true", "\"timed\":false"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"neighbor_ids\":true", "\"neighbor_ids\":1"),
       absl::StatusCode::kDataLoss},
      {GraphJsonWith("\"degrees\":true", "\"degrees\":\"in\""),
       absl::StatusCode::kDataLoss},
  };
  for (const auto& [text, code] : cases) {
    WriteAll(File("graph.json"), text);
    SCOPED_TRACE(text.substr(0, 60));
    ExpectRefused("graph.json", code);
  }
}

// Keys that this program does not know may matter, so they are refused by name.
TEST_F(DamageTest, UnknownKeysAreRefusedByName) {
  const std::string whole = ReadAll(File("graph.json"));
  for (const std::string place :
       {"{\"content_digest\"", "{\"base\"", "{\"dim\"", "{\"degrees\"",
        "{\"count\"", "{\"bytes\""}) {
    std::string text = whole;
    text.insert(text.find(place) + 1, "\"sign\":1,");
    WriteAll(File("graph.json"), text);
    SCOPED_TRACE(place);
    ExpectRefused("there is no key \"sign\"; a later program made the graph",
                  absl::StatusCode::kInvalidArgument);
  }
}

// made_by is the one key that the layout digest leaves out.
TEST_F(DamageTest, MadeByMayDiffer) {
  WriteAll(File("graph.json"),
           GraphJsonWith("\"made_by\":\"test\"", "\"made_by\":\"other\""));
  EXPECT_TRUE(Open().ok());
}

TEST_F(DamageTest, MissingFolderIsNotFound) {
  const auto none = Graph::Open(folder_.File("none"));
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
