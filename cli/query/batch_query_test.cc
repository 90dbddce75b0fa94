#include "cli/query/batch_query.h"

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParseBatchNameTest, TheLastTwoPartsAreNumbers) {
  auto batch = ParseBatchName("mine/2/17");
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->job, "mine");
  EXPECT_EQ(batch->epoch, 2);
  EXPECT_EQ(batch->index, 17);
  batch = ParseBatchName("team/a//0/18446744073709551615");
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->job, "team/a/");
  EXPECT_EQ(batch->epoch, 0);
  EXPECT_EQ(batch->index, UINT64_MAX);
}

TEST(ParseBatchNameTest, RefusesOthers) {
  for (const char* text :
       {"", "mine", "mine/1", "/1/2", "1/2", "mine/1/", "mine//1", "mine/-1/2",
        "mine/1/2/", "mine/1/x", "mine/1/18446744073709551616"}) {
    const auto batch = ParseBatchName(text);
    EXPECT_EQ(ExitCodeOf(batch.status()), kExitUsage) << text;
    EXPECT_THAT(batch.status().ToString(), HasSubstr("JOB/EPOCH/INDEX"));
  }
}

v1::BatchTraceReply Known(const std::string& job) {
  v1::BatchTraceReply reply;
  for (const uint64_t us : {5000, 9000}) {
    v1::BatchTrace& trace = *reply.add_traces();
    trace.set_job(job);
    trace.set_epoch(2);
    trace.set_index(17);
    trace.set_queued(4);
    trace.add_stage_us(us);
  }
  return reply;
}

const BatchName kBatch = {"mine", 2, 17};

TEST(ReportBatchTest, ExplainsEachAttempt) {
  const BatchReport report = ReportBatch(
      {{"a:1", absl::NotFoundError("the latest 100 batches are kept")},
       {"b:1", Known("mine")},
       {"c:1", absl::UnavailableError("no\nroute")}},
      kBatch, /*otlp=*/false);
  EXPECT_TRUE(report.status.ok()) << report.status;
  EXPECT_THAT(report.notes, ElementsAre("c:1 UNAVAILABLE: no\\nroute"));
  EXPECT_EQ(report.lines[0], "b:1: batch 2/17 of job mine, 5.0 ms, 0 bytes");
  EXPECT_THAT(report.lines,
              Contains("b:1: batch 2/17 of job mine, 9.0 ms, 0 bytes"));
  EXPECT_THAT(report.lines, Contains(""));
  EXPECT_THAT(report.lines.back(),
              HasSubstr("Most of it: 9.0 of 9.0 ms in the queue of b:1 behind "
                        "4 batches"));
}

TEST(ReportBatchTest, OtlpIsALineForEachAttempt) {
  const BatchReport report =
      ReportBatch({{"b:1", Known("mine")}}, kBatch, /*otlp=*/true);
  ASSERT_EQ(report.lines.size(), 2);
  for (const std::string& line : report.lines) {
    EXPECT_THAT(line, HasSubstr("{\"resourceSpans\":[{"));
  }
}

TEST(ReportBatchTest, ABatchThatNoServerKnows) {
  const BatchReport report = ReportBatch(
      {{"a:1", absl::NotFoundError("the latest 100 batches are kept")},
       {"b:1", absl::NotFoundError("the latest 7 batches are kept")}},
      kBatch, false);
  EXPECT_THAT(report.lines, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(report.status,
            absl::NotFoundError("no server knows of batch mine/2/17: the "
                                "latest 100 batches are kept"));
}

// It may be on the server that did not say.
TEST(ReportBatchTest, AnErrorIsNoNotFound) {
  const BatchReport report =
      ReportBatch({{"a:1", absl::NotFoundError("kept")},
                   {"b:1", absl::PermissionDeniedError("of another job")},
                   {"c:1", absl::DeadlineExceededError("no answer")}},
                  kBatch, false);
  EXPECT_THAT(report.notes, ElementsAre("c:1 DEADLINE_EXCEEDED: no answer"));
  EXPECT_EQ(report.status, absl::PermissionDeniedError("b:1: of another job"));
}

TEST(ReportBatchTest, AnEmptyReplyIsNotFound) {
  const BatchReport report =
      ReportBatch({{"a:1", v1::BatchTraceReply()}}, kBatch, false);
  EXPECT_TRUE(absl::IsNotFound(report.status)) << report.status;
}

}  // namespace
}  // namespace tributary
