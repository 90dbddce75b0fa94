#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/lib/bench/bench_run.h"

namespace tributary {
namespace {

const char* NameOf(BenchKind kind) {
  switch (kind) {
    case BenchKind::kSample:
      return "sample";
    case BenchKind::kGather:
      return "gather";
    case BenchKind::kStream:
      return "stream";
  }
  return "";
}

}  // namespace

std::string ToText(const BenchReport& r) {
  std::string text = absl::StrCat(
      absl::StrFormat("%s: graph %s, %d nodes, %d edges; %d inputs a batch, %d "
                      "threads, %.2f s\n",
                      NameOf(r.kind), r.graph, r.nodes, r.edges, r.batch_size,
                      r.threads, r.seconds),
      absl::StrFormat("  batches/s  %.1f\n", r.batches_per_second),
      absl::StrFormat("  inputs/s   %.0f\n", r.inputs_per_second),
      absl::StrFormat("  edges/s    %.0f\n", r.edges_per_second),
      absl::StrFormat("  MB/s       %.1f\n", r.bytes_per_second / 1e6),
      absl::StrFormat("  limit      %.0f %s a second\n", r.limit_per_second,
                      r.limit),
      absl::StrFormat("  ratio      %.3f of the limit\n", r.ratio));
  if (r.step_seconds > 0) {
    absl::StrAppendFormat(&text,
                          "  waited     %.3f of the last minute, with steps of "
                          "%.3f s\n",
                          r.wait_ratio, r.step_seconds);
  }
  if (r.wire_bytes_per_batch > 0) {
    absl::StrAppendFormat(&text, "  sent       %.0f bytes of a batch\n",
                          r.wire_bytes_per_batch);
  }
  if (r.held_share > 0) {
    absl::StrAppendFormat(&text,
                          "  held       %.3f of the bytes, which were not "
                          "sent\n",
                          r.held_share);
  }
  if (r.compact_share > 0) {
    absl::StrAppendFormat(&text,
                          "  compact    %.3f of the bytes, which compact edges "
                          "did without\n",
                          r.compact_share);
  }
  if (r.random_line_bytes_per_second) {
    absl::StrAppendFormat(&text,
                          "  beside     %.0f bytes a second in random "
                          "cache lines of %s\n",
                          *r.random_line_bytes_per_second,
                          r.random_line_memory);
  }
  return text;
}

std::string ToJson(const BenchReport& r) {
  nlohmann::ordered_json json = {
      {"benchmark", NameOf(r.kind)},
      {"graph", r.graph},
      {"nodes", r.nodes},
      {"edges", r.edges},
      {"batch_size", r.batch_size},
      {"threads", r.threads},
      {"first_batch_seconds", r.first_batch_seconds},
      {"batches", r.batches},
      {"seconds", r.seconds},
      {"waited_seconds", r.waited_seconds},
      {"batches_per_second", r.batches_per_second},
      {"inputs_per_second", r.inputs_per_second},
      {"edges_per_second", r.edges_per_second},
      {"bytes_per_second", r.bytes_per_second},
      {"limit", r.limit},
      {"limit_per_second", r.limit_per_second},
      {"ratio", r.ratio},
  };
  if (r.step_seconds > 0) {
    json["step_seconds"] = r.step_seconds;
    json["wait_ratio"] = r.wait_ratio;
  }
  if (r.wire_bytes_per_batch > 0) {
    json["wire_bytes_per_batch"] = r.wire_bytes_per_batch;
  }
  if (r.held_share > 0) json["held_share"] = r.held_share;
  if (r.compact_share > 0) json["compact_share"] = r.compact_share;
  if (r.random_line_bytes_per_second) {
    json["random_line_memory"] = r.random_line_memory;
    json["random_line_bytes_per_second"] = *r.random_line_bytes_per_second;
  }
  // A graph's name may not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace tributary
