// The figures of reading features from files.
#ifndef TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_METRICS_H_

#include "common/observe/metrics.h"

namespace tributary {

// Without a registry every metric does nothing.
struct RowMetrics {
  RowMetrics() = default;
  explicit RowMetrics(Metrics& metrics);

  Counter rows;
  Counter bytes;
  Counter reads;      // of files
  Counter waits;      // of them, those that the page cache did not answer
  Counter errors;     // pieces that failed
  Gauge in_flight;    // pieces
  Gauge waiting;      // requests not answered yet
  Histogram seconds;  // from the request to all its rows read
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ROWS_ROW_METRICS_H_
