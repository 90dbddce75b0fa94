// The stages that a batch's time on its server is divided into.
#ifndef TRIBUTARY_COMMON_TRACE_STAGE_NAMES_H_
#define TRIBUTARY_COMMON_TRACE_STAGE_NAMES_H_

#include <cstddef>

namespace tributary {

// In the order in which they begin; docs/metrics.md has this order, too, and so
// does BatchTrace.stage_us. Those of sampling may take turns, and those of
// gathering.
enum class TimedStage {
  kQueue,        // waits for its turn, for memory and for a sampling thread
  kSample,       // draws neighbours and numbers nodes
  kSamplePeers,  // waits for answers of peers about neighbours
  kGather,       // copies rows that are in memory here
  kGatherDisk,   // waits for rows in files, and maybe for peers, too
  kGatherPeers,  // waits for rows of peers alone
  kSend,         // until the network has taken the last frame
};
inline constexpr size_t kNumTimedStages = 7;

// Returns the stage's name in metrics, logs and traces: "queue", "sample",
// "sample_peers", "gather", "gather_disk", "gather_peers", "send".
constexpr const char* TimedStageName(TimedStage stage) {
  constexpr const char* kNames[kNumTimedStages] = {
      "queue",       "sample",       "sample_peers", "gather",
      "gather_disk", "gather_peers", "send"};
  return kNames[static_cast<size_t>(stage)];
}

// The same for a number of another process; "?" if it is none.
constexpr const char* StageName(size_t stage) {
  return stage < kNumTimedStages
             ? TimedStageName(static_cast<TimedStage>(stage))
             : "?";
}

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_STAGE_NAMES_H_
