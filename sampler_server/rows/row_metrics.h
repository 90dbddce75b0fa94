// The metrics of reading features from files.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_METRICS_H_

#include "common/observe/metrics.h"

namespace tributary {

// Thread-safe. A default-constructed object counts nothing.
struct RowMetrics {
  RowMetrics() = default;
  explicit RowMetrics(Metrics& metrics);

  Counter rows;
  Counter bytes;
  Counter reads;      // of files
  Counter waits;      // reads that the page cache did not answer
  Counter errors;     // pieces that failed, without cancelled ones
  Gauge in_flight;    // pieces
  Gauge waiting;      // requests that are not answered yet
  Histogram seconds;  // from a request to its answer
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_METRICS_H_
