// What a batch task is at, as its trainer is told.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STAGE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STAGE_H_

namespace tributary {

enum class BatchStage {
  kSampling,
  kWaitingForPeer,
  kWaitingForDisk,
  kGathering,
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STAGE_H_
