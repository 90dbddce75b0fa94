// Timelines of batches that were slow for one reason each, written by hand.
#ifndef TRIBUTARY_COMMON_TRACE_TESTING_MADE_TIMELINES_H_
#define TRIBUTARY_COMMON_TRACE_TESTING_MADE_TIMELINES_H_

#include <cstdint>

#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/trace/batch_timeline.h"
#include "common/trace/stage_names.h"

namespace tributary {

// When MadeTimeline's batch was asked for.
absl::Time MadeStart();

void SetStage(TimedStage stage, int64_t ms, v1::BatchTrace& trace);

// A batch that 10.0.0.1:50051 has made in 30 ms: 2 in its queue, 18 sampling,
// 10 gathering. The attempt takes 40 ms, and the batch is taken at once.
BatchTimeline MadeTimeline();

// The stage sample_peers takes 410 ms more: for 10.0.0.2:50051, whose queue has
// 395 ms of them, its thread 10 and the network 5. Another peer takes 20 ms.
BatchTimeline MadeOfThrottledPeer();
// gather_disk takes 300 ms.
BatchTimeline MadeOfColdDisk();
// The queue takes 500 ms, behind 37 batches, 12 of this job.
BatchTimeline MadeOfFullQueue();
// The batch is taken 900 ms after it was ready.
BatchTimeline MadeOfBusyTrainer();
// 10.0.0.9:50051 fails after 250 ms; then the batch is as MadeTimeline's.
BatchTimeline MadeOfLostServer();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_TESTING_MADE_TIMELINES_H_
