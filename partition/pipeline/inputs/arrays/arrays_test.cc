#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/tensor/npz.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/pipeline/inputs/arrays/compressed_rows.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/arrays/scatter_rows.h"
#include "partition/pipeline/inputs/arrays/zip_members.h"

namespace tributary {
namespace {

using testing::HasSubstr;
using Ids = std::vector<int64_t>;

class ArraysTest : public testing::Test {
 protected:
  std::string WriteNpy(const std::string& name, const Ids& shape,
                       const Ids& values) {
    const std::string path = folder_.File(name);
    std::ofstream out(path, std::ios::binary);
    out << FormatNpyHeader(kNpyInt64, shape);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(int64_t)));
    return path;
  }
  // Writes ids and floats as numpy.savez does.
  std::string WriteBoth(const std::string& name) {
    const std::string path = folder_.File(name);
    const TensorView ids{"ids", DType::kInt64, {3}, Bytes(ids_)};
    const TensorView x{"paper/x", DType::kFloat32, {2, 1}, Bytes(x_)};
    EXPECT_TRUE(WriteNpz(path, {ids, x}).ok());
    return path;
  }
  template <typename T>
  static absl::Span<const uint8_t> Bytes(const std::vector<T>& values) {
    return {reinterpret_cast<const uint8_t*>(values.data()),
            values.size() * sizeof(T)};
  }
  static Ids All(const Column& column) {
    return *ReadValues<int64_t>(column, 0, column.num_rows());
  }
  ColumnPtr Column64(const std::string& name, const Ids& values) {
    return *OpenArrays(
        {WriteNpy(name, {static_cast<int64_t>(values.size())}, values)});
  }

  const TemporaryFolder folder_;
  const Ids ids_ = {7, 8, 9};
  const std::vector<float> x_ = {0.5, 1.5};
};

TEST_F(ArraysTest, MembersOfNpzAreReadInPlace) {
  const std::string path = WriteBoth("a.npz");
  const auto names = ListNpzArrays(path);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(*names, (std::vector<std::string>{"ids", "paper/x"}));
  const auto ids = OpenArrays({path + ":ids"});
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_EQ(All(**ids), ids_);
  const auto x = OpenArrays({path + ":paper/x"});
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_EQ((*x)->schema(), (ColumnSchema{DType::kFloat32, 1}));
  EXPECT_EQ(*ReadValues<float>(**x, 0, 2), x_);
  EXPECT_THAT(std::string(OpenArrays({path + ":y"}).status().message()),
              HasSubstr("has no array y; there are: ids, paper/x"));
}

TEST_F(ArraysTest, DamagedArchivesAreRefused) {
  std::ifstream in(WriteBoth("a.npz"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::string path = folder_.File("cut.npz");
  const auto write = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    return ListZipMembers(path).status();
  };
  EXPECT_TRUE(write(bytes).ok());
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_EQ(write(bytes.substr(0, size)).code(), absl::StatusCode::kDataLoss)
        << size;
  }
  // The method of compression in the directory's first entry.
  std::string deflated = bytes;
  const size_t entry = bytes.find("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  deflated[entry + 10] = 8;
  const absl::Status status = write(deflated);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("savez_compressed"));
}

TEST_F(ArraysTest, PairsAreRowsOrColumns) {
  const auto rows = OpenPairs({WriteNpy("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(All(*rows->from), (Ids{1, 2, 3}));
  EXPECT_EQ(All(*rows->to), (Ids{4, 5, 6}));
  const auto columns =
      OpenPairs({WriteNpy("b.npy", {3, 2}, {1, 4, 2, 5, 3, 6})});
  ASSERT_TRUE(columns.ok()) << columns.status();
  EXPECT_EQ(All(*columns->from), (Ids{1, 2, 3}));
  EXPECT_EQ(All(*columns->to), (Ids{4, 5, 6}));
  EXPECT_THAT(
      std::string(
          OpenPairs({WriteNpy("c.npy", {3, 1}, {1, 2, 3})}).status().message()),
      HasSubstr("has the shape [3, 1]; allowed: [2, E] and [E, 2]"));
}

TEST_F(ArraysTest, ExpandsCompressedRows) {
  const auto nodes = ExpandRows(Column64("a.npy", {0, 2, 2, 5, 5}), 5);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  EXPECT_EQ(All(**nodes), (Ids{0, 0, 2, 2, 2}));
  for (int64_t begin = 0; begin < 5; ++begin) {
    EXPECT_EQ(*ReadValues<int64_t>(**nodes, begin, 1),
              (Ids{begin < 2 ? 0 : 2}));
  }
  for (const Ids& indptr :
       std::vector<Ids>{{}, {1, 5}, {0, 4}, {0, 3, 2, 5}, {0, 6, 5}}) {
    EXPECT_EQ(ExpandRows(Column64("b.npy", indptr), 5).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(ArraysTest, ScattersInLittleMemory) {
  const Spool spool(folder_.path());
  Ids positions(100000);
  std::iota(positions.begin(), positions.end(), 0);
  std::mt19937 random(5);
  std::shuffle(positions.begin(), positions.end(), random);
  Ids values(positions.size()), wanted(positions.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>(random());
    wanted[positions[i]] = values[i];
  }
  const auto ordered = ScatterRows(*Column64("v.npy", values),
                                   *Column64("p.npy", positions), "node",
                                   /*memory=*/100000, spool, "ordered");
  ASSERT_TRUE(ordered.ok()) << ordered.status();
  EXPECT_EQ(All(**ordered), wanted);
}

TEST_F(ArraysTest, ScatterRefusesWhatIsNoPermutation) {
  const Spool spool(folder_.path());
  const ColumnPtr values = Column64("v.npy", {1, 2, 3});
  const auto error_of = [&](const Ids& positions) {
    return std::string(ScatterRows(*values, *Column64("p.npy", positions),
                                   "node", 1 << 20, spool, "ordered")
                           .status()
                           .message());
  };
  EXPECT_THAT(error_of({0, 1, 1}),
              HasSubstr("p.npy, row 2: node 1 is there a second time"));
  EXPECT_THAT(error_of({0, 3, 1}),
              HasSubstr("p.npy, row 1: 3 is no node; allowed: 0 to 2"));
  EXPECT_THAT(error_of({0, 1}), HasSubstr("2 numbers of nodes, but 3 rows"));
}

}  // namespace
}  // namespace tributary
