#include "common/observe/log_flags.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "common/observe/log.h"
#include "common/observe/log_format.h"

namespace tributary {
namespace {

class LogFlagsTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TRIBUTARY_LOG_LEVEL");
    unsetenv("TRIBUTARY_LOG_FORMAT");
  }
  void TearDown() override {
    SetUp();
    SetLogLevel(LogLevel::kInfo);
    SetLogFormat(LogFormat::kText);
  }

  static LogFlags Parse(std::vector<std::string> words, LogFlags flags = {}) {
    CLI::App app;
    AddLogFlags(app, flags);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(words);
    return flags;
  }
};

TEST_F(LogFlagsTest, AreWhatTheProgramChoseByDefault) {
  EXPECT_EQ(Parse({}).level, "info");
  EXPECT_EQ(Parse({}, {.level = "warning"}).level, "warning");
  EXPECT_EQ(Parse({}).format, "text");
}

TEST_F(LogFlagsTest, ComeFromTheEnvironmentAndGiveWayToTheCommandLine) {
  setenv("TRIBUTARY_LOG_LEVEL", "debug", 1);
  setenv("TRIBUTARY_LOG_FORMAT", "json", 1);
  const LogFlags flags = Parse({"--log-level", "error"});
  EXPECT_EQ(flags.level, "error");
  EXPECT_EQ(flags.format, "json");
}

TEST_F(LogFlagsTest, SetTheLogAndTheEnvironmentOfStartedPrograms) {
  ASSERT_TRUE(ApplyLogFlags({.level = "error", .format = "json"}).ok());
  EXPECT_FALSE(LogEnabled(LogLevel::kWarning));
  EXPECT_EQ(CurrentLogFormat(), LogFormat::kJson);
  EXPECT_STREQ(getenv("TRIBUTARY_LOG_LEVEL"), "error");
  EXPECT_STREQ(getenv("TRIBUTARY_LOG_FORMAT"), "json");
}

TEST_F(LogFlagsTest, RefuseOtherValuesByName) {
  EXPECT_EQ(ApplyLogFlags({.level = "loud"}).message(),
            "--log-level: log level 'loud' is none of debug, info, warning, "
            "error, off");
  EXPECT_EQ(ApplyLogFlags({.format = "xml"}).message(),
            "--log-format: log format 'xml' is none of text, json");
  EXPECT_EQ(CurrentLogFormat(), LogFormat::kText);
}

}  // namespace
}  // namespace tributary
