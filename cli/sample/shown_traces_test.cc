#include "cli/sample/shown_traces.h"

#include <cstdint>
#include <string>

#include "common/trace/explain.h"
#include "common/trace/testing/made_timelines.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

BatchTimeline Batch(uint64_t index) {
  BatchTimeline timeline = MadeTimeline();
  timeline.key.index = index;
  return timeline;
}

std::string Printed(ShownTraces& traces, uint64_t index) {
  testing::internal::CaptureStderr();
  traces.Print(Batch(index).key);
  return testing::internal::GetCapturedStderr();
}

std::string TextOf(const BatchTimeline& timeline) {
  std::string text;
  for (const std::string& line : ExplainTimeline(timeline)) text += line + "\n";
  return text;
}

TEST(ShownTracesTest, PrintsABatchOnceByItsKey) {
  ShownTraces traces;
  const TracedObserver observer = traces.Observer();
  for (const uint64_t index : {3, 4, 6}) observer(Batch(index));
  EXPECT_EQ(Printed(traces, 4), TextOf(Batch(4)));
  EXPECT_EQ(Printed(traces, 4), "");
  observer(Batch(7));
  EXPECT_EQ(Printed(traces, 7), TextOf(Batch(7)));
}

TEST(ShownTracesTest, KeepsTheLatest) {
  ShownTraces traces;
  const TracedObserver observer = traces.Observer();
  for (uint64_t index = 0; index < 100; ++index) observer(Batch(index));
  EXPECT_EQ(Printed(traces, 99), TextOf(Batch(99)));
}

}  // namespace
}  // namespace tributary
