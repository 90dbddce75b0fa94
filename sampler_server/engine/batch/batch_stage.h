// The stages of a batch task that its trainer is told about.
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
