// The metrics of mutable rows.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_METRICS_H_

#include "common/observe/metrics.h"

namespace tributary {

// Thread-safe. A default-constructed object counts nothing; else the metrics
// are registered with `metrics`, which outlives them.
struct TensorMetrics {
  TensorMetrics() = default;
  explicit TensorMetrics(Metrics& metrics)
      : pulls(metrics.AddCounter("tributary_tensor_pulls_total",
                                 "Reads of mutable rows")),
        pulled_rows(metrics.AddCounter("tributary_tensor_pulled_rows_total",
                                       "Mutable rows read")),
        pulled_bytes(metrics.AddCounter("tributary_tensor_pulled_bytes_total",
                                        "Bytes of mutable rows read")),
        pushes(metrics.AddCounter("tributary_tensor_pushes_total",
                                  "Writes and parts of rounds")),
        pushed_rows(metrics.AddCounter("tributary_tensor_pushed_rows_total",
                                       "Mutable rows written, and gradients")),
        pushed_bytes(
            metrics.AddCounter("tributary_tensor_pushed_bytes_total",
                               "Bytes of rows written, and of gradients")),
        rounds(metrics.AddCounter("tributary_tensor_rounds_total",
                                  "Rounds of gradients applied")),
        errors(metrics.AddCounter("tributary_tensor_errors_total",
                                  "Calls for mutable rows answered by an "
                                  "error")) {}

  Counter pulls;
  Counter pulled_rows;
  Counter pulled_bytes;
  Counter pushes;
  Counter pushed_rows;
  Counter pushed_bytes;
  Counter rounds;
  Counter errors;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_METRICS_H_
