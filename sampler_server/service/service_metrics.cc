#include "sampler_server/service/service_metrics.h"

namespace tributary {
namespace {

std::array<Histogram, kNumTimedStages> StageSeconds(Metrics& metrics) {
  std::array<Histogram, kNumTimedStages> histograms;
  for (size_t stage = 0; stage < kNumTimedStages; ++stage) {
    histograms[stage] = metrics.AddHistogram(
        "tributary_batch_stage_seconds", "Time of a batch in each stage",
        LatencyBounds(),
        {{"stage", TimedStageName(static_cast<TimedStage>(stage))}});
  }
  return histograms;
}

}  // namespace

ServiceMetrics::ServiceMetrics(Metrics& m)
    : credits(m.AddCounter("tributary_credits_total",
                           "Batches that trainers asked for")),
      batches(m.AddCounter("tributary_batches_total", "Batches made")),
      batch_bytes(m.AddCounter("tributary_batch_bytes_total",
                               "Bytes of the batches made, without those left "
                               "out")),
      left_out_bytes(m.AddCounter("tributary_batch_left_out_bytes_total",
                                  "Bytes of the batches made that were left "
                                  "out: rows that trainers hold")),
      compact_bytes(m.AddCounter("tributary_batch_compact_bytes_total",
                                 "Bytes of the batches made that compact "
                                 "edges did without")),
      inputs(
          m.AddCounter("tributary_inputs_total", "Inputs of the batches made")),
      needs(m.AddCounter("tributary_needs_total",
                         "Batches that were larger than their credit")),
      failed(m.AddCounter("tributary_batch_failures_total",
                          "Batches that could not be made")),
      refused(m.AddCounter("tributary_credits_refused_total",
                           "Credits refused: wrong, too many, or draining")),
      unknown_session(m.AddCounter("tributary_unknown_sessions_total",
                                   "Credits whose session was not known")),
      leaf_hops(m.AddCounter("tributary_leaf_requests_total",
                             "Requests of peers", {{"call", "sample_hop"}})),
      leaf_gathers(m.AddCounter("tributary_leaf_requests_total",
                                "Requests of peers", {{"call", "gather"}})),
      leaf_questions(m.AddCounter("tributary_leaf_requests_total",
                                  "Requests of peers", {{"call", "question"}})),
      leaf_bytes(m.AddCounter("tributary_leaf_reply_bytes_total",
                              "Bytes of replies to peers")),
      leaf_errors(m.AddCounter("tributary_leaf_errors_total",
                               "Requests of peers answered by an error")),
      batch_seconds(m.AddHistogram("tributary_batch_seconds",
                                   "From credit to the batch made",
                                   LatencyBounds())),
      stage_seconds(StageSeconds(m)),
      streams(
          m.AddGauge("tributary_batch_streams", "Batch streams that are open")),
      engine(m) {}

}  // namespace tributary
