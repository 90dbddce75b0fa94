#include "trainer_client/core/inputs/link_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "trainer_client/core/inputs/link_file.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
std::string Bytes(NpyType type, const std::vector<int64_t>& shape,
                  const std::vector<T>& values) {
  std::string bytes = FormatNpyHeader(type, shape);
  bytes.append(reinterpret_cast<const char*>(values.data()),
               values.size() * sizeof(T));
  return bytes;
}

absl::StatusOr<EdgeTypeLinks> Read(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/links.npy";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  EdgeTypeLinks links;
  const absl::Status status = ReadLinkFile(path, &links);
  if (status.ok()) return links;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  return status;
}

TEST(LinkArray, PairsOfWholeNumbers) {
  const auto links = Read(Bytes<int64_t>(kNpyInt64, {2, 2}, {5, 1, 6, 2}));
  ASSERT_TRUE(links.ok()) << links.status();
  EXPECT_THAT(links->source, ElementsAre(5, 6));
  EXPECT_THAT(links->destination, ElementsAre(1, 2));
  EXPECT_THAT(links->edge_label, IsEmpty());
  EXPECT_THAT(links->edge_label_float, IsEmpty());
}

TEST(LinkArray, LabelsAreWholeOrFloats) {
  const auto whole =
      Read(Bytes<uint32_t>(kNpyUint32, {2, 3}, {5, 1, 0, 6, 2, 4000000000}));
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_THAT(whole->source, ElementsAre(5, 6));
  EXPECT_THAT(whole->edge_label, ElementsAre(0, 4000000000));
  EXPECT_THAT(whole->edge_label_float, IsEmpty());
  const auto floats = Read(Bytes<double>({'f', 8}, {1, 3}, {5, 1, 0.1}));
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_THAT(floats->source, ElementsAre(5));
  EXPECT_THAT(floats->destination, ElementsAre(1));
  EXPECT_THAT(floats->edge_label, IsEmpty());
  EXPECT_THAT(floats->edge_label_float, ElementsAre(0.1f));
}

TEST(LinkArray, ColumnsMayComeOneAfterTheOther) {
  // numpy.save writes edge_index.T so.
  std::string bytes = Bytes<int64_t>(kNpyInt64, {3, 2}, {5, 6, 7, 1, 2, 3});
  const std::string order = "'fortran_order': False";
  const size_t at = bytes.find(order);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, order.size(), "'fortran_order': True ");
  const auto links = Read(bytes);
  ASSERT_TRUE(links.ok()) << links.status();
  EXPECT_THAT(links->source, ElementsAre(5, 6, 7));
  EXPECT_THAT(links->destination, ElementsAre(1, 2, 3));
}

TEST(LinkArray, SaysWhatIsWrong) {
  const double too_large = 9007199254740994;  // 2^53 + 2
  const std::pair<std::string, const char*> wrong[] = {
      {Bytes<int64_t>(kNpyInt64, {4}, {5, 1, 6, 2}), "shape (4)"},
      {Bytes<int64_t>(kNpyInt64, {1, 4}, {5, 1, 6, 2}), "shape (1, 4)"},
      {Bytes<int64_t>(kNpyInt64, {0, 2}, {}), "shape (0, 2)"},
      {Bytes<int64_t>(kNpyInt64, {2, 2}, {5, 1, 6}),
       "24 bytes of elements, but 32 by its header"},
      {Bytes<uint64_t>(kNpyUint64, {1, 2}, {5, uint64_t{1} << 63}),
       "element 1 of type <u8"},
      {Bytes<double>({'f', 8}, {1, 2}, {5, 1}), "elements of type <f8"},
      {Bytes<uint8_t>({'b', 1}, {1, 2}, {1, 1}), "elements of type |b1"},
      {Bytes<double>({'f', 8}, {1, 3}, {5.5, 1, 1}), "row 0 is (5.5, 1, ...)"},
      {Bytes<double>({'f', 8}, {1, 3}, {5, too_large, 1}), "row 0 is (5, "},
      {Bytes<double>({'f', 8}, {1, 3}, {5, NAN, 1}), "row 0 is (5, nan, ...)"},
      {Bytes<double>({'f', 8}, {1, 3}, {5, 1, 1e300}),
       "row 0 has the label 1e+300"},
      {"\x93NUMPY", "header"}};
  for (const auto& [bytes, words] : wrong) {
    const auto links = Read(bytes);
    ASSERT_FALSE(links.ok()) << words;
    EXPECT_THAT(std::string(links.status().message()), HasSubstr(words));
  }
}

}  // namespace
}  // namespace tributary
