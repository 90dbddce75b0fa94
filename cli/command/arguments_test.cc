#include "cli/command/arguments.h"

#include <gtest/gtest.h>

#include "cli/command/command.h"

namespace tributary {
namespace {

TEST(ArgumentsTest, Whole) {
  EXPECT_EQ(*ParseWhole("--random-seed", "0"), 0);
  EXPECT_EQ(*ParseWhole("--random-seed", "18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x10",
                          "18446744073709551616", "seven"}) {
    const auto value = ParseWhole("--random-seed", bad);
    EXPECT_FALSE(value.ok()) << bad;
    EXPECT_EQ(ExitCodeOf(value.status()), kExitUsage);
  }
}

TEST(ArgumentsTest, WholeNamesOptionValueAndRange) {
  EXPECT_EQ(ParseWhole("--threads", "65", 1, 64).status().message(),
            "--threads \"65\"\nallowed: a whole number from 1 to 64");
}

TEST(ArgumentsTest, Seconds) {
  const auto parse = [](absl::string_view text) {
    return ParseSeconds("--rpc-timeout", text, absl::Milliseconds(100),
                        absl::Hours(24));
  };
  EXPECT_EQ(*parse("2.5"), absl::Milliseconds(2500));
  EXPECT_EQ(*parse("86400"), absl::Hours(24));
  EXPECT_EQ(*parse("90s"), absl::Seconds(90));
  EXPECT_EQ(*parse("1.5m"), absl::Seconds(90));
  EXPECT_EQ(*parse("24h"), absl::Hours(24));
  for (const char* bad :
       {"", "0", "0.09", "86401", "nan", "inf", "-1", "s", "1ss", "1 s", "1d",
        "1ms", "1m30s", "25h", "infh", "1e300h"}) {
    EXPECT_FALSE(parse(bad).ok()) << bad;
  }
  EXPECT_EQ(parse("1d").status().message(),
            "--rpc-timeout \"1d\"\nallowed: seconds from 0.1 to 86400, or "
            "90s, 5m, 1h");
}

TEST(ArgumentsTest, Choice) {
  EXPECT_EQ(*ParseChoice("--expand", "all", {"new", "all"}), 1);
  EXPECT_EQ(ParseChoice("--expand", "some", {"new", "all"}).status().message(),
            "--expand \"some\"\nallowed: new, all");
}

TEST(ArgumentsTest, Range) {
  EXPECT_EQ(*ParseRange("--batches", "2:5"), (IndexRange{2, 5}));
  EXPECT_EQ(*ParseRange("--batches", "0:18446744073709551615"), IndexRange());
  for (const char* bad : {"", ":", "3", "3:", ":3", "3:3", "4:3", "0:1:2",
                          "-1:3", "0:18446744073709551616", "a:b"}) {
    EXPECT_FALSE(ParseRange("--batches", bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace tributary
