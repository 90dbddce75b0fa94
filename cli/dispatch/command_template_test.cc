#include "cli/dispatch/command_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/dispatch/shell_word.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(CommandTemplateTest, FillsPlacesAndQuotes) {
  const auto command = CommandTemplate::Parse(
      "--copy-command", "cp {{ -r {folder}/. {host}:{to}/ }",
      {"folder", "host", "to"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_TRUE(command->Has("folder"));
  EXPECT_FALSE(command->Has("list"));
  EXPECT_EQ(command->Fill({{"folder", "it's a"}, {"host", "h"}, {"to", "/d"}}),
            "cp { -r 'it'\\''s a'/. h:/d/ }");
  EXPECT_EQ(command->Fill({{"folder", "$(id)"}, {"host", "h"}, {"to", "a;b"}}),
            "cp { -r '$(id)'/. h:'a;b'/ }");
}

TEST(ShellWordTest, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(ShellWord("a/b-1.x=2"), "a/b-1.x=2");
  EXPECT_EQ(ShellWord("--flag"), "--flag");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("~/a"), "'~/a'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
}

TEST(CommandTemplateTest, RefusesUnknownPlaces) {
  for (const char* text : {"cp {files}", "cp {", "cp {}", "cp {host"}) {
    const auto command = CommandTemplate::Parse("--x", text, {"host", "to"});
    ASSERT_FALSE(command.ok()) << text;
    EXPECT_THAT(std::string(command.status().message()),
                HasSubstr("{host}, {to}"));
  }
}

}  // namespace
}  // namespace tributary
