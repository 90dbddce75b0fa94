#include "sampler_server/engine/batch/peer_calls.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1000);

absl::Time At(int ms) { return kStart + absl::Milliseconds(ms); }

void Add(PeerCalls& calls, int from_ms, int to_ms) {
  v1::PeerCallSpan span;
  span.set_peer("10.0.0.2:50051");
  span.set_partition(static_cast<uint32_t>(from_ms));
  calls.Add(std::move(span), At(from_ms), At(to_ms));
}

TEST(PeerCalls, CountFromTheBatchesStartInTheOrderOfTheirStart) {
  PeerCalls calls("", kStart);
  Add(calls, 7, 9);
  Add(calls, 2, 12);
  v1::BatchTrace trace;
  calls.FillTrace(&trace);
  ASSERT_EQ(trace.calls_size(), 2);
  EXPECT_EQ(trace.calls(0).start_us(), 2000u);
  EXPECT_EQ(trace.calls(0).duration_us(), 10000u);
  EXPECT_EQ(trace.calls(1).start_us(), 7000u);
  EXPECT_EQ(trace.calls(1).duration_us(), 2000u);
  EXPECT_EQ(trace.more_calls(), 0u);
}

TEST(PeerCalls, TheLongestOnesAreKeptAndTheOthersCounted) {
  PeerCalls calls("", kStart);
  // Short and long ones in turns: 40 of them, the long ones by far the longest.
  for (int i = 0; i < 40; ++i) Add(calls, i, i + (i % 4 == 0 ? 500 + i : 1));
  v1::BatchTrace trace;
  calls.FillTrace(&trace);
  ASSERT_EQ(trace.calls_size(), static_cast<int>(PeerCalls::kMost));
  EXPECT_EQ(trace.more_calls(), 40 - PeerCalls::kMost);
  int long_ones = 0;
  for (const auto& call : trace.calls()) long_ones += call.duration_us() > 1000;
  EXPECT_EQ(long_ones, 10);
}

TEST(PeerCalls, ClocksThatGoBackAndLongNamesAreBounded) {
  PeerCalls calls("", kStart);
  v1::PeerCallSpan span;
  span.set_peer(std::string(100000, 'x'));
  calls.Add(std::move(span), At(-5), At(-9));
  v1::BatchTrace trace;
  calls.FillTrace(&trace);
  EXPECT_EQ(trace.calls(0).start_us(), 0u);
  EXPECT_EQ(trace.calls(0).duration_us(), 0u);
  EXPECT_EQ(trace.calls(0).peer().size(), PeerCalls::kMaxPeerBytes);
}

TEST(PeerCalls, FillingATraceAgainReplacesItsCalls) {
  PeerCalls calls("", kStart);
  Add(calls, 1, 2);
  v1::BatchTrace trace;
  calls.FillTrace(&trace);
  calls.FillTrace(&trace);
  EXPECT_EQ(trace.calls_size(), 1);
}

}  // namespace
}  // namespace tributary
