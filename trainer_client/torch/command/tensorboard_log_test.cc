#include "trainer_client/torch/command/tensorboard_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/io/file_mapping.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

const absl::Time kTime = absl::FromUnixMillis(1500);

std::string Hex(const std::string& bytes) {
  return absl::BytesToHexString(bytes);
}

std::string EmptyFolder(const std::string& name) {
  std::string folder = absl::StrCat(testing::TempDir(), "/", name);
  fs::remove_all(folder);
  return folder;
}

// CRCs by an implementation in Python, bit by bit.
TEST(TensorBoardLogTest, RecordsHaveMaskedCrcs) {
  EXPECT_EQ(Hex(TfRecord("")),
            "0000000000000000"
            "29039807"
            "d8ea82a2");
  EXPECT_EQ(Hex(TfRecord("abc")),
            "0300000000000000"
            "b099490e"
            "616263"
            "6e57f121");
}

TEST(TensorBoardLogTest, VersionEvent) {
  EXPECT_EQ(Hex(VersionEvent(kTime)),
            absl::StrCat("09000000000000f83f",  // wall_time: 1.5
                         "1a0d",                // file_version: 13 bytes
                         Hex("brain.Event:2")));
}

TEST(TensorBoardLogTest, ScalarEvent) {
  EXPECT_EQ(Hex(ScalarEvent(300, {{"loss", 0.75}, {"a", -2}}, kTime)),
            absl::StrCat("09000000000000f83f",  // wall_time: 1.5
                         "10ac02",              // step: 300 = 2 x 128 + 44
                         "2a17",                // summary: 13 + 10 bytes
                         "0a0b",                // value: 11 bytes
                         "0a04", Hex("loss"),   // tag
                         "150000403f",          // simple_value: 0.75
                         "0a08",                // value: 8 bytes
                         "0a01", Hex("a"),      // tag
                         "15000000c0"));        // simple_value: -2
}

TEST(TensorBoardLogTest, SessionStartEvent) {
  EXPECT_EQ(Hex(SessionStartEvent(5, kTime)),
            "09000000000000f83f"
            "1005"        // step
            "3a020801");  // session_log: status START
}

TEST(TensorBoardLogTest, EachEventIsInTheFileAtOnce) {
  const std::string folder = EmptyFolder("events/run");
  auto log = TensorBoardLog::Create(folder, kTime);
  ASSERT_TRUE(log.ok()) << log.status();
  std::string expected = TfRecord(VersionEvent(kTime));
  EXPECT_EQ(*ReadFile(log->path(), 1 << 20), expected);
  ASSERT_TRUE(log->Add(0, {{"x", 1}}, kTime).ok());
  expected += TfRecord(ScalarEvent(0, {{"x", 1}}, kTime));
  EXPECT_EQ(*ReadFile(log->path(), 1 << 20), expected);
  ASSERT_TRUE(log->Close().ok());
  EXPECT_EQ(*ReadFile(log->path(), 1 << 20), expected);
}

TEST(TensorBoardLogTest, NamesAreSortedByTimeAndDistinct) {
  const std::string folder = EmptyFolder("names");
  auto first = TensorBoardLog::Create(folder, absl::FromUnixSeconds(7));
  auto second = TensorBoardLog::Create(folder, absl::FromUnixSeconds(7));
  ASSERT_TRUE(first.ok() && second.ok());
  absl::string_view name = first->path();
  EXPECT_TRUE(absl::ConsumePrefix(
      &name, absl::StrCat(folder, "/events.out.tfevents.0000000007.")))
      << name;
  EXPECT_NE(first->path(), second->path());
}

TEST(TensorBoardLogTest, AResumedRunMarksItsStart) {
  const std::string folder = EmptyFolder("resumed");
  auto log = TensorBoardLog::Create(folder, kTime, /*resumed_at=*/40);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(
      *ReadFile(log->path(), 1 << 20),
      TfRecord(VersionEvent(kTime)) + TfRecord(SessionStartEvent(40, kTime)));
}

TEST(TensorBoardLogTest, Errors) {
  const auto log = TensorBoardLog::Create("/dev/null/run", kTime);
  EXPECT_NE(std::string(log.status().message()).find("/dev/null/run"),
            std::string::npos)
      << log.status();
  auto good = TensorBoardLog::Create(EmptyFolder("errors"), kTime);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->Add(std::numeric_limits<uint64_t>::max(), {}, kTime).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
