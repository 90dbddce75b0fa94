#include "partition/pipeline/mpi/line_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "common/io/file_writer.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

class LineShareTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) {
    std::string path =
        absl::StrCat(::testing::TempDir(), "/", getpid(), "-", files_++);
    auto file = FileWriter::Create(path);
    EXPECT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(file->Append(text).ok());
    EXPECT_TRUE(file->Close().ok());
    return path;
  }

  // The lines of all shares, in the order of ranks.
  static std::vector<std::string> ReadAll(const std::vector<std::string>& paths,
                                          int ranks) {
    std::vector<std::string> lines;
    for (int rank = 0; rank < ranks; ++rank) {
      auto share = LineShare::Open(paths, rank, ranks);
      EXPECT_TRUE(share.ok()) << share.status();
      while (true) {
        const auto line = share->Next();
        EXPECT_TRUE(line.ok()) << line.status();
        if (!line.ok() || !line->has_value()) break;
        lines.emplace_back(**line);
      }
    }
    return lines;
  }

  static inline int files_ = 0;
};

TEST_F(LineShareTest, EveryLineIsInOneShare) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> paths;
    std::vector<std::string> expected;
    for (int file = 0; file < 3; ++file) {
      std::string text;
      for (size_t i = random() % 20; i > 0; --i) {
        const std::string line(random() % 9, 'a' + random() % 26);
        if (!line.empty()) expected.push_back(line);
        absl::StrAppend(&text, line, random() % 3 == 0 ? "\r\n" : "\n");
      }
      if (random() % 2 == 0) {
        text += "last";  // no end of line
        expected.push_back("last");
      }
      paths.push_back(Write(text));
    }
    for (const int ranks : {1, 2, 3, 7, 50}) {
      EXPECT_EQ(ReadAll(paths, ranks), expected) << ranks;
    }
  }
}

TEST_F(LineShareTest, LinesCrossBlocks) {
  std::vector<std::string> expected;
  std::string text;
  for (int i = 0; i < 40; ++i) {
    expected.push_back(std::string(100'000 + 777 * i, 'a' + i % 26));
    absl::StrAppend(&text, expected.back(), "\n");
  }
  const std::string path = Write(text);
  EXPECT_EQ(ReadAll({path}, 1), expected);
  EXPECT_EQ(ReadAll({path}, 5), expected);
}

TEST_F(LineShareTest, SaysWhereALineIs) {
  const std::string path = Write("1\n\n3\n4\n");
  auto share = LineShare::Open({Write("0\n"), path}, 1, 2);
  ASSERT_TRUE(share.ok());
  ASSERT_TRUE(share->Next().ok());
  EXPECT_EQ(share->Where(), path + ", line 3");
}

TEST_F(LineShareTest, RefusesALineWithoutEnd) {
  auto share =
      LineShare::Open({Write("ok\n" + std::string(3 << 20, 'x'))}, 0, 1);
  ASSERT_TRUE(share.ok());
  ASSERT_TRUE(share->Next().ok());
  EXPECT_THAT(std::string(share->Next().status().message()),
              HasSubstr("line 2 has more than 1048576 bytes"));
  EXPECT_FALSE(LineShare::Open({::testing::TempDir()}, 0, 1).ok());
  EXPECT_FALSE(LineShare::Open({"/nowhere/at/all"}, 0, 1).ok());
}

}  // namespace
}  // namespace tributary
