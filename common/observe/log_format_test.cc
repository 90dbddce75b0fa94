#include "common/observe/log_format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/time/time.h"
#include "common/observe/log_sink.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

class LogFormatTest : public testing::Test {
 protected:
  void SetUp() override { SetLogFormat(LogFormat::kJson); }
  void TearDown() override {
    SetLogFormat(LogFormat::kText);
    SetLogLevel(LogLevel::kInfo);
  }
};

std::string Logged(std::string_view text, const LogFields& fields = {}) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kError, text, fields);
  return testing::internal::GetCapturedStderr();
}

TEST(ParseLogFormatTest, KnowsItsNamesOnly) {
  EXPECT_EQ(ParseLogFormat("json").value(), LogFormat::kJson);
  EXPECT_EQ(ParseLogFormat("text").value(), LogFormat::kText);
  EXPECT_EQ(ParseLogFormat("JSON").status().message(),
            "log format 'JSON' is none of text, json");
}

TEST_F(LogFormatTest, ALineIsAnObjectWithTheIdsOfABatch) {
  const std::string line =
      Logged("batch failed", BatchFields("a", std::string(32, '\xab'), 3, 17));
  ASSERT_EQ(line.find('\n'), line.size() - 1);
  const Json object = Json::parse(line);
  EXPECT_EQ(object["message"], "batch failed");
  EXPECT_EQ(object["level"], "error");
  EXPECT_EQ(object["job"], "a");
  EXPECT_EQ(object["session"], "abababababababab");
  EXPECT_EQ(object["epoch"], 3);
  EXPECT_EQ(object["index"], 17);
  EXPECT_TRUE(object["thread"].is_number());
  absl::Time time;
  EXPECT_TRUE(absl::ParseTime(
      absl::RFC3339_full, object["time"].get<std::string>(), &time, nullptr))
      << line;
}

TEST_F(LogFormatTest, ATextHasTheFieldsAtItsEnd) {
  SetLogFormat(LogFormat::kText);
  const std::string line = Logged("batch failed", {{"job", "a\nb"}});
  EXPECT_NE(line.find(" batch failed job=a\\nb\n"), std::string::npos) << line;
}

// A job's name cannot look like another field.
TEST_F(LogFormatTest, ATextQuotesAValueOfSeveralWords) {
  SetLogFormat(LogFormat::kText);
  const std::string line =
      Logged("x", {{"job", "a index=\"1\""}, {"epoch", uint64_t{7}}});
  EXPECT_NE(line.find(" x job=\"a index=\\\"1\\\"\" epoch=7\n"),
            std::string::npos)
      << line;
}

// The names that callers choose: none can end the line, the value or the
// object, nor make it long.
TEST_F(LogFormatTest, ALineIsOneBoundedObjectWhateverACallerIsCalled) {
  const std::string attacks[] = {
      "a\nb\r\nc",
      "\",\"level\":\"info\",\"x\":\"",
      "\\\"}\n{\"forged\":1}",
      std::string("a\0b\x01\x1b[2J\x7f", 9),
      "\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80",
      "\xe2\x80\xae\xe2\x80\xa8",
      std::string(1 << 20, 'a'),
      std::string(1 << 20, '"'),
      std::string(1 << 20, '\x1b'),
      std::string(1 << 20, '\xff'),
      // A character of three bytes across the place of the cut.
      std::string(252, 'a') + "\xe2\x82\xac" + std::string(100, 'b'),
  };
  for (const std::string& attack : attacks) {
    LogFields fields;
    for (int i = 0; i < 20; ++i) {
      fields.push_back({"field" + std::to_string(i), attack});
    }
    const std::string line = Logged(attack, fields);
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_LE(line.size(), 16 << 10);
    const Json object = Json::parse(line, nullptr, false);
    ASSERT_TRUE(object.is_object()) << line;
    EXPECT_EQ(object.size(), 4 + 16);
    EXPECT_EQ(object["level"], "error");
    for (const char c : line.substr(0, line.size() - 1)) {
      ASSERT_GE(static_cast<unsigned char>(c), 0x20) << line;
    }
  }
}

TEST_F(LogFormatTest, ACutValueSaysSo) {
  const Json object =
      Json::parse(Logged("x", {{"job", std::string(1000, 'a')}}));
  EXPECT_EQ(object["job"], std::string(253, 'a') + "...");
}

TEST_F(LogFormatTest, ASinkTakesTextWithFields) {
  std::string taken;
  SetLogSink([&taken](LogLevel, std::string_view text) { taken = text; });
  EXPECT_EQ(Logged("failed", {{"job", "a"}}), "");
  SetLogSink(nullptr);
  EXPECT_EQ(taken, "failed job=a");
}

TEST_F(LogFormatTest, WhyAProgramEndsIsPrintedAtEveryLevel) {
  SetLogLevel(LogLevel::kOff);
  testing::internal::CaptureStderr();
  PrintMessage(LogLevel::kError, "tributary serve", "no \"such\"\nfolder");
  const Json object = Json::parse(testing::internal::GetCapturedStderr());
  EXPECT_EQ(object["message"], "no \"such\"\\nfolder");
  EXPECT_EQ(object["program"], "tributary serve");
  SetLogFormat(LogFormat::kText);
  testing::internal::CaptureStderr();
  PrintMessage(LogLevel::kError, "tributary serve", "two\nlines");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tributary serve: two\nlines\n");
}

}  // namespace
}  // namespace tributary
