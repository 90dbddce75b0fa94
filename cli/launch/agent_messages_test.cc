#include "cli/launch/agent_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AgentMessagesTest, RequestsComeBack) {
  AgentRequest request;
  request.kind = AgentRequest::Kind::kPreflight;
  request.preflight = {"/w", "mag",   "ab",      {0, 3},    "ip.txt",
                       "cd", {"a:1"}, {"k.pem"}, "python3", 5};
  request.lost_after = absl::Seconds(7);
  request.grace = absl::Milliseconds(1500);
  const std::string line = ToLine(request);
  EXPECT_EQ(line.back(), '\n');
  auto read = ParseAgentRequest(line);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToLine(*read), line);
  EXPECT_THAT(read->preflight.partitions, ElementsAre(0, 3));
  EXPECT_EQ(read->lost_after, absl::Seconds(7));

  request = AgentRequest();
  request.kind = AgentRequest::Kind::kStart;
  request.id = 9;
  request.workspace = "/w x";
  request.process = {"server 1", 1, "", {"serve", "--graph"}, {"A=1"}};
  read = ParseAgentRequest(ToLine(request));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToLine(*read), ToLine(request));
  EXPECT_EQ(read->process.arguments[1], "--graph");
}

TEST(AgentMessagesTest, ReportsComeBackWithoutForeignBytes) {
  AgentReport report;
  report.kind = AgentReport::Kind::kLine;
  report.id = 3;
  report.is_error = true;
  report.text = "a\xff\"b";
  const auto read = ParseAgentReport(ToLine(report));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->text, "a\xef\xbf\xbd\"b");
  EXPECT_TRUE(read->is_error);
  EXPECT_TRUE(absl::StrContains(AgentVersion(), "agent 1"));
}

TEST(AgentMessagesTest, RefusesWhatIsBeyondItsBounds) {
  for (const char* line :
       {"", "x", "[]", R"({"say":"boo"})", R"({"say":"beat","more":1})",
        R"({"say":"ended","id":4096,"wait_status":0})",
        R"({"say":"ended","id":0,"wait_status":65536})",
        R"({"say":"ready","problems":[1]})", R"({"say":"line","id":0})"}) {
    const auto report = ParseAgentReport(line);
    EXPECT_FALSE(report.ok()) << line;
  }
  AgentReport many;
  many.kind = AgentReport::Kind::kReady;
  many.problems.assign(kMaxProblems + 1, "x");
  EXPECT_THAT(std::string(ParseAgentReport(ToLine(many)).status().message()),
              HasSubstr("33 items"));
  for (const char* line :
       {R"({"ask":"end","grace_ms":1})",
        R"({"ask":"end","grace_ms":1e99,"stage":0})",
        R"({"ask":"start","id":0,"workspace":"/","process":{"name":"a",)"
        R"("stage":0,"shell":"","arguments":[],"environment":[]}})"}) {
    EXPECT_FALSE(ParseAgentRequest(line).ok()) << line;
  }
}

}  // namespace
}  // namespace tributary
