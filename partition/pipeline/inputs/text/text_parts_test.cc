#include "partition/pipeline/inputs/text/text_parts.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

TEST(TextPartsTest, ATableWithoutGzip) {
  const TemporaryFolder folder;
  const std::string a = folder.File("a"), b = folder.File("b");
  std::ofstream(a) << "1,2,3\n4,5,6\n";
  std::ofstream(b) << "7,8,9\n";
  const auto parts = TextParts({a, b}, 3, 4);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].name, a);
  EXPECT_EQ(parts[0].size, 12);
  EXPECT_EQ(parts[1].size, 6);
  EXPECT_EQ(parts[0].least_column_bytes + parts[1].least_column_bytes,
            3 * 3 * 4);
}

TEST(TextPartsTest, CountsNoMoreRowsThanTheFileCanHold) {
  const TemporaryFolder folder;
  const std::string path = folder.File("a");
  std::ofstream(path) << "1,2\n3,4\n";
  // 8 bytes are 4 cells, or 5 if the last line has no end.
  EXPECT_EQ(TextParts({path}, int64_t{1} << 60, 8)[0].least_column_bytes,
            2 * 2 * 8);
}

TEST(TextPartsTest, OtherDelimitersAndMissingFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.File("a");
  std::ofstream(path) << "1|2\n";
  EXPECT_EQ(TextParts({path}, 1, 8, '|')[0].least_column_bytes, 16);
  const auto missing = TextParts({folder.File("none")}, 1, 8);
  ASSERT_EQ(missing.size(), 1);
  EXPECT_EQ(missing[0].size, 0);
  EXPECT_EQ(missing[0].least_column_bytes, 0);
}

TEST(TextPartsTest, MeasuresGzip) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string path = folder.File("numbers.csv.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const TextSize size = MeasureText(path);
  EXPECT_EQ(size.file_bytes, std::filesystem::file_size(path));
  EXPECT_LE(size.least_bytes, text.size());
  EXPECT_GE(size.least_bytes, text.size() / 4);
  EXPECT_GE(size.most_bytes, text.size());
}

}  // namespace
}  // namespace tributary
