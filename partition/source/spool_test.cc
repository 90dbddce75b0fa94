#include "partition/source/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kPebibyte = uint64_t{1} << 50;

TEST(SpoolTest, RefusesColumnsForWhichTheDiskHasNoRoom) {
  const TemporaryFolder folder;
  const Spool spool(folder.path());
  EXPECT_TRUE(spool.Expect({{"small", 10, 10}}).ok());
  const absl::Status refused =
      spool.Expect({{"a", 10, 4096 * kPebibyte}, {"b", 10, 1}});
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr(folder.path() + " has "));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("bytes free; the parsed columns of the input need at "
                        "least 4611686018427387905"));
}

TEST(SpoolTest, ColumnsOfAnEarlierRunNeedNoRoomAgain) {
  const TemporaryFolder folder;
  std::ofstream(folder.File("a.int64.0.rows"));
  std::filesystem::resize_file(folder.File("a.int64.0.rows"), kPebibyte / 1024);
  const Spool spool(folder.path());
  EXPECT_TRUE(spool.Expect({{"a", 10, kPebibyte / 1024}}).ok());
}

TEST(SpoolTest, AnnouncesThePartsToTheProgress) {
  const TemporaryFolder folder;
  std::vector<int64_t> said;
  InputProgress progress([&](std::string_view, int64_t done, int64_t total) {
    said.insert(said.end(), {done, total});
  });
  const Spool spool(folder.path(), &progress);
  EXPECT_TRUE(spool.Expect({{"a", 10, 0}, {"b", 20, 0}}).ok());
  spool.Advance("b", 5);
  EXPECT_THAT(said, ::testing::ElementsAre(5, 30));
}

}  // namespace
}  // namespace tributary
