#include "sampler_server/rows/row_metrics.h"

namespace tributary {

RowMetrics::RowMetrics(Metrics& m)
    : rows(m.AddCounter("tributary_feature_rows_total",
                        "Rows of features read from files")),
      bytes(
          m.AddCounter("tributary_feature_bytes_total", "Bytes of these rows")),
      reads(m.AddCounter("tributary_feature_reads_total",
                         "Reads of files of features; near rows share one")),
      waits(m.AddCounter(
          "tributary_feature_waits_total",
          "Reads of files of features that had to wait for the disk")),
      errors(m.AddCounter("tributary_feature_errors_total",
                          "Pieces of files of features that were not read")),
      in_flight(m.AddGauge("tributary_feature_pieces_in_flight",
                           "Pieces of files of features being read")),
      waiting(m.AddGauge("tributary_feature_requests",
                         "Requests for rows of features not answered yet")),
      seconds(m.AddHistogram("tributary_feature_seconds",
                             "From a request for rows of features to the last "
                             "of them",
                             LatencyBounds())) {}

}  // namespace tributary
