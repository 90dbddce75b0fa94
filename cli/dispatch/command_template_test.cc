#include "cli/dispatch/command_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
