// OGB's binary layout against its text layout: one content, and errors.
#include <zip.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/tensor/npz.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/testing/hetero_folder.h"
#include "partition/pipeline/testing/ogb_folder.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

using testing::HasSubstr;

// An array that a test writes.
struct Array {
  DType dtype = DType::kInt64;
  Shape shape;
  std::vector<uint8_t> bytes;
};

template <typename T>
Array Make(DType dtype, Shape shape, const std::vector<T>& values) {
  Array array{dtype, std::move(shape),
              std::vector<uint8_t>(values.size() * sizeof(T))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}
Array Ints(Shape shape, const std::vector<int64_t>& values) {
  return Make(DType::kInt64, std::move(shape), values);
}

using Arrays = std::map<std::string, Array>;

void WriteArraysTo(const std::string& path, const Arrays& arrays) {
  std::vector<TensorView> tensors;
  for (const auto& [name, array] : arrays) {
    tensors.push_back({name, array.dtype, array.shape, array.bytes});
  }
  ASSERT_TRUE(WriteNpz(path, tensors).ok());
}

// The text graph of SetUp, with all columns, and the same as arrays.
class OgbBinaryTest : public OgbTest {
 protected:
  void SetUp() override {
    OgbTest::SetUp();
    Write("raw/node-feat.csv", "1,2\n3,4\n5,6\n7,0.5\n");
    Write("raw/node-label.csv", "1\n0\n-1\n2\n");
    Write("raw/edge-feat.csv", "0.25\n1\n2\n");
    Write("raw/edge_weight.csv", "0.5\n2\n0\n");
    Write("raw/edge_year.csv", "2001\n2000\n2003\n");
    Write("raw/edge_train.csv", "1\n0\n1\n");
    Write("raw/node_year.csv", "4\n3\n2\n1\n");
    Write("split/time/train.csv", "3\n0\n");
    Write("split/pairs/test.csv", "2,1\n1,3\n");
    data_ = {{"num_nodes_list", Ints({1}, {4})},
             {"num_edges_list", Ints({1}, {3})},
             {"edge_index", Ints({2, 3}, {0, 2, 3, 1, 1, 3})},
             {"node_feat",
              Make<float>(DType::kFloat32, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 0.5})},
             {"edge_feat", Make<float>(DType::kFloat32, {3, 1}, {0.25, 1, 2})},
             {"edge_weight", Make<float>(DType::kFloat32, {3}, {0.5, 2, 0})},
             {"edge_year", Ints({3, 1}, {2001, 2000, 2003})},
             {"edge_train", Make<uint8_t>(DType::kBool, {3}, {1, 0, 1})},
             {"node_year", Make<int32_t>(DType::kInt32, {4, 1}, {4, 3, 2, 1})}};
    labels_ = {{"node_label", Ints({4, 1}, {1, 0, -1, 2})}};
  }

  void WriteArrays() {
    WriteNpzFile("raw/data.npz", data_);
    WriteNpzFile("raw/node-label.npz", labels_);
  }
  void WriteNpzFile(const std::string& path, const Arrays& arrays) {
    WriteArraysTo(folder_.File(path), arrays);
  }
  // Compresses all members, as numpy.savez_compressed does.
  void Compress(const std::string& path) {
    zip_t* archive = zip_open(folder_.File(path).c_str(), 0, nullptr);
    ASSERT_NE(archive, nullptr);
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
      ASSERT_EQ(zip_set_file_compression(archive, i, ZIP_CM_DEFLATE, 6), 0);
    }
    ASSERT_EQ(zip_close(archive), 0);
  }
  InputOptions Options(bool add_reverse = false) const {
    return {.folder = folder_.path(),
            .add_reverse = add_reverse,
            .name = "same",
            .edge_weight = "edge_weight",
            .edge_time = "edge_year",
            .node_time = "node_year",
            .edge_masks = {"edge_train"}};
  }
  void ExpectRefusal(const std::string& what) {
    WriteArrays();
    const absl::Status status = ReadInput(Options()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }

  Arrays data_, labels_;
};

TEST_F(OgbBinaryTest, HasTheContentOfTheText) {
  for (const bool add_reverse : {false, true}) {
    std::filesystem::remove(folder_.File("raw/data.npz"));
    const auto text = ReadInput(Options(add_reverse));
    ASSERT_TRUE(text.ok()) << text.status();
    WriteArrays();
    for (const bool compressed : {false, true}) {
      SCOPED_TRACE(compressed);
      if (compressed) {
        Compress("raw/data.npz");
        Compress("raw/node-label.npz");
      }
      const auto binary = ReadInput(Options(add_reverse));
      ASSERT_TRUE(binary.ok()) << binary.status();
      EXPECT_TRUE(CheckContent(binary->content).ok());
      EXPECT_TRUE(binary->notes.empty()) << binary->notes[0];
      EXPECT_EQ(ComputeContentDigest(binary->content),
                ComputeContentDigest(text->content));
    }
  }
}

TEST_F(OgbBinaryTest, TypesStayAsTheyAre) {
  data_["node_feat"] =
      Make<uint16_t>(DType::kFloat16, {4, 1}, {0x3c00, 0, 1, 2});
  labels_["node_label"] = Make<float>(DType::kFloat32, {4, 1}, {0, 1, NAN, 2});
  data_["edge_index"] =
      Make<int32_t>(DType::kInt32, {2, 3}, {0, 2, 3, 1, 1, 3});
  WriteArrays();
  const auto input = ReadInput(Options());
  ASSERT_TRUE(input.ok()) << input.status();
  const NodeContent& nodes = input->content.node_types[0];
  EXPECT_EQ(nodes.x->schema(), (ColumnSchema{DType::kFloat16, 1}));
  EXPECT_EQ(nodes.y->schema(), (ColumnSchema{DType::kFloat32, 0}));
  EXPECT_EQ(EdgesInto(input->content.edge_types[0].in_edges, 1),
            (std::vector<InEdge>{{0, 0}, {2, 1}}));
}

TEST_F(OgbBinaryTest, ArraysThatNobodyNamesAreNoted) {
  WriteArrays();
  const auto input = ReadInput({.folder = folder_.path()});
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->notes.size(), 4);
  EXPECT_THAT(input->notes[0], HasSubstr("edge_train of"));
}

TEST_F(OgbBinaryTest, WrongArraysAreRefused) {
  const auto with = [&](const std::string& name, const Array& array,
                        const std::string& what) {
    const auto kept = data_;
    data_[name] = array;
    ExpectRefusal(what);
    data_ = kept;
  };
  with("edge_index", Ints({3, 2}, {0, 1, 2, 1, 3, 3}),
       "data.npz has the shape [3, 2]; allowed: [2, 3]");
  with("num_edges_list", Ints({1}, {4}), "allowed: [2, 4]");
  with("num_nodes_list", Ints({2}, {4, 4}), "has the shape [2]");
  with("num_nodes_list", Ints({1}, {-4}), "is -4; allowed: 0 to");
  with("node_feat", Ints({3, 1}, {0, 0, 0}), "allowed: [4] and [4, columns]");
  with("edge_weight", Ints({3, 2}, {0, 0, 0, 0, 0, 0}),
       "allowed: one number a row as a weight");
  with("edge_year", Make<float>(DType::kFloat32, {3}, {0, 0.5, 0}),
       "row 1: a value that int64 cannot hold; allowed: whole numbers");
  with("edge_train", Ints({3}, {0, 1, 2}), "a value that bool cannot hold");
  data_.erase("edge_year");
  WriteArrays();
  const absl::Status absent = ReadInput(Options()).status();
  EXPECT_EQ(absent.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(absent.message()),
              HasSubstr("--edge-time: " + folder_.File("raw/data.npz") +
                        " has no array edge_year; there are: edge_feat"));
}

TEST_F(OgbBinaryTest, EdgesMustLeadToNodes) {
  data_["edge_index"] = Ints({2, 3}, {0, 2, 3, 1, 4, 3});
  WriteArrays();
  const absl::Status status = ReadInput(Options()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("data.npz:edge_index, row 1, column 1: 4"));
}

TEST_F(OgbBinaryTest, DamagedFilesAreDataLoss) {
  WriteArrays();
  Compress("raw/data.npz");
  const std::string path = folder_.File("raw/data.npz");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const absl::Status status = ReadInput(Options()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
}

TEST_F(OgbTest, SplitsInPicklesAreRefused) {
  Write("split/time/split_dict.pt", "PK");
  ExpectRefused("split_dict.pt", "is a pickle, which is not read");
  Write("split/time/train.csv", "0\n");
  EXPECT_TRUE(Read().ok()) << Read().status();
}

// The typed text graph of SetUp, and the same as arrays.
class HeteroBinaryTest : public HeteroTest {
 protected:
  void SetUp() override {
    HeteroTest::SetUp();
    Write("raw/node_year/field/node_year.csv", "7\n8\n");
    Write(kCites + "edge_weight.csv", "0.5\n2\n0\n");
    Write("split/links/author___writes___paper/test.csv", "0,3\n1,1\n");
  }
  void WriteArrays() {
    const std::string cites = "paper___cites___paper",
                      writes = "author___writes___paper";
    Put("num_nodes_dict", {{"paper", Ints({1}, {4})},
                           {"author", Ints({1}, {3})},
                           {"field", Ints({1}, {2})}});
    Put("num_edges_dict", {{cites, Ints({1}, {3})}, {writes, Ints({1}, {3})}});
    Put("edge_index_dict", {{writes, Ints({2, 3}, {0, 2, 1, 3, 3, 0})},
                            {cites, Ints({2, 3}, {1, 3, 1, 1, 2, 1})}});
    Put("node_feat_dict",
        {{"author", Make<float>(DType::kFloat32, {3, 2}, {1, 2, 3, 4, 5, 6})}});
    Put("edge_feat_dict",
        {{writes, Make<float>(DType::kFloat32, {3, 1}, {0.5, 1.5, 2.5})}});
    Put("node-label", {{"paper", Ints({4, 1}, {2, -1, 0, 1})}});
    Put("node_year_dict", {{"field", Ints({2, 1}, {7, 8})}});
    Put("edge_weight_dict",
        {{cites, Make<float>(DType::kFloat32, {3}, {0.5, 2, 0})}});
  }
  void Put(const std::string& name, const Arrays& arrays) {
    WriteArraysTo(folder_.File("raw/" + name + ".npz"), arrays);
  }
  InputOptions Options(bool add_reverse = false) const {
    return {.folder = folder_.path(),
            .add_reverse = add_reverse,
            .name = "same",
            .edge_weight = "edge_weight",
            .node_time = "node_year"};
  }
  void ExpectRefusal(const std::string& what,
                     absl::StatusCode code = absl::StatusCode::kInvalidArgument,
                     bool add_reverse = false) {
    const absl::Status status = ReadInput(Options(add_reverse)).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
};

TEST_F(HeteroBinaryTest, HasTheContentOfTheText) {
  for (const bool add_reverse : {false, true}) {
    Remove("raw/edge_index_dict.npz");
    const auto text = ReadInput(Options(add_reverse));
    ASSERT_TRUE(text.ok()) << text.status();
    WriteArrays();
    const auto binary = ReadInput(Options(add_reverse));
    ASSERT_TRUE(binary.ok()) << binary.status();
    EXPECT_TRUE(CheckContent(binary->content).ok());
    EXPECT_TRUE(binary->notes.empty()) << binary->notes[0];
    EXPECT_EQ(ComputeContentDigest(binary->content),
              ComputeContentDigest(text->content));
  }
}

TEST_F(HeteroBinaryTest, SplitsAgreeWithTheTableOfTypes) {
  WriteArrays();
  Write("split/time/nodetype-has-split.csv", "paper,field\nTrue,True\n");
  ExpectRefusal("field/{train,valid,test} is not there");
  Write("split/time/nodetype-has-split.csv", "paper\nFalse\n");
  ExpectRefusal("paper/{train,valid,test} is there");
}

TEST_F(HeteroBinaryTest, SplitsInPicklesAreRefused) {
  WriteArrays();
  for (const bool binary : {true, false}) {
    if (!binary) Remove("raw/edge_index_dict.npz");
    Write("split/random/split_dict.pt", "PK");
    ExpectRefusal(
        "random/split_dict.pt is a pickle, which is not read; "
        "allowed: ");
    Remove("split/random");
    Write("split/random/paper/train.pt", "PK");
    Write("split/random/nodetype-has-split.csv", "paper\nTrue\n");
    ExpectRefusal("random/paper/train.pt is a pickle");
    // Beside text it is a copy.
    Write("split/random/paper/train.csv", "0\n");
    const auto input = ReadInput(Options());
    EXPECT_TRUE(input.ok()) << input.status();
    Remove("split/random");
  }
}

TEST_F(HeteroBinaryTest, WrongArraysAreRefused) {
  WriteArrays();
  Put("edge_index_dict", {{"paper___cites", Ints({2, 1}, {0, 0})}});
  ExpectRefusal("paper___cites of");
  Put("edge_index_dict", {{"paper___cites___book", Ints({2, 1}, {0, 0})}});
  ExpectRefusal("allowed: author, field, paper");
  Put("edge_index_dict", {{"paper___shows___field", Ints({2, 1}, {0, 0})}});
  ExpectRefusal("num_edges_dict.npz has no array paper___shows___field",
                absl::StatusCode::kNotFound);
  WriteArrays();
  Put("num_edges_dict", {{"paper___cites___paper", Ints({1}, {2})},
                         {"author___writes___paper", Ints({1}, {3})}});
  ExpectRefusal("allowed: [2, 2]");
  WriteArrays();
  Put("edge_index_dict",
      {{"paper___cites___paper", Ints({2, 3}, {1, 3, 1, 1, 2, 1})},
       {"paper___rev_cites___paper", Ints({2, 1}, {1, 1})}});
  Put("num_edges_dict", {{"paper___cites___paper", Ints({1}, {3})},
                         {"paper___rev_cites___paper", Ints({1}, {1})}});
  ExpectRefusal("or no --add-reverse", absl::StatusCode::kInvalidArgument,
                /*add_reverse=*/true);
  WriteArrays();
  Remove("raw/edge_weight_dict.npz");
  ExpectRefusal("which --edge-weight names, is not there",
                absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
