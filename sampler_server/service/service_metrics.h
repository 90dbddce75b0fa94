// The figures of a sampling service.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_METRICS_H_

#include "common/observe/metrics.h"

namespace tributary {

// Without a registry every metric does nothing.
struct ServiceMetrics {
  ServiceMetrics() = default;
  explicit ServiceMetrics(Metrics& metrics);

  Counter credits;          // taken in
  Counter batches;          // made
  Counter batch_bytes;      // of their rooms
  Counter inputs;           // of made batches
  Counter needs;            // larger than their credit
  Counter failed;           // answered by BatchError, but for refused ones
  Counter refused;          // bad, too many, or while draining
  Counter unknown_session;  // asked for the specification again
  Counter leaf_hops;        // requests of peers
  Counter leaf_gathers;
  Counter leaf_questions;
  Counter leaf_bytes;  // of their replies
  Counter leaf_errors;
  Histogram batch_seconds;  // credit to the batch made
  Gauge streams;            // open
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_METRICS_H_
