// The metrics of a sampling service.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_METRICS_H_

#include <array>
#include <cstddef>

#include "absl/time/time.h"
#include "common/observe/metrics.h"
#include "sampler_server/engine/batch/engine_metrics.h"
#include "sampler_server/service/grants/stage_times.h"

namespace tributary {

// Thread-safe. A default-constructed object counts nothing; else the metrics
// are registered with `metrics`, which outlives them.
struct ServiceMetrics {
  ServiceMetrics() = default;
  explicit ServiceMetrics(Metrics& metrics);

  // Counts the time of the stage with this number for one batch.
  void ObserveStage(size_t stage, const TimesByStage& times) {
    stage_seconds[stage].Observe(absl::ToDoubleSeconds(times[stage]));
  }

  Counter credits;          // received
  Counter batches;          // made
  Counter batch_bytes;      // of batches made, without what is left out
  Counter left_out_bytes;   // of batches made: rows that trainers hold
  Counter compact_bytes;    // of batches made: by compact edges
  Counter inputs;           // of batches made
  Counter needs;            // batches larger than their credit
  Counter failed;           // batches that ended in BatchError
  Counter refused;          // credits: wrong, too many, or while draining
  Counter unknown_session;  // credits of sessions not known here
  Counter leaf_hops;        // requests of peers, by kind
  Counter leaf_gathers;
  Counter leaf_questions;
  Counter leaf_bytes;  // of their replies
  Counter leaf_errors;
  Histogram batch_seconds;  // credit to the batch made
  // Seconds of a batch by the stage's number, observed when it is made, and
  // for TimedStage::kSend when it is sent.
  std::array<Histogram, kNumTimedStages> stage_seconds;
  Gauge streams;  // open batch streams
  EngineMetrics engine;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_METRICS_H_
