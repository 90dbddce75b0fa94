#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/lib/bench/channel_bench.h"
#include "benchmarks/lib/bench/channel_bench_sizes.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

struct HandOver {  // microseconds
  double mean = 0, median = 0, p99 = 0;
};

HandOver SummaryOf(std::vector<int64_t> ns) {
  std::sort(ns.begin(), ns.end());
  const double sum = std::accumulate(ns.begin(), ns.end(), 0.0);
  const auto at = [&](size_t percent) {
    return 1e-3 * static_cast<double>(ns[ns.size() * percent / 100]);
  };
  return {1e-3 * sum / static_cast<double>(ns.size()), at(50), at(99)};
}

double RatioOf(const ChannelSeries& series, const ChannelBenchReport& report) {
  return Median(series.transfers.rates) / Median(report.memcpy.rates);
}

std::string HandOverLine(const char* name, const ChannelSeries& series) {
  const HandOver us = SummaryOf(series.handover_ns);
  return absl::StrFormat("  %-14s mean %.1f, median %.1f, p99 %.1f\n", name,
                         us.mean, us.median, us.p99);
}

std::string TransferLines(const char* name, const ChannelSeries& series,
                          const ChannelBenchReport& report) {
  return absl::StrFormat("  %-14s %s\n  %-14s %.3f of memcpy\n", name,
                         ToText(series.transfers), "", RatioOf(series, report));
}

// Adds the extremes as well: medians alone hide how noisy the machine is.
void AddRates(const std::vector<double>& rates, Json* json) {
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  (*json)["bytes_per_second"] = Median(rates) * 1e9;
  (*json)["least_bytes_per_second"] = *least * 1e9;
  (*json)["most_bytes_per_second"] = *most * 1e9;
}

Json JsonOf(const ChannelSeries& series, const ChannelBenchReport& report) {
  const HandOver us = SummaryOf(series.handover_ns);
  Json json = {
      {"handover_microseconds",
       {{"mean", us.mean}, {"median", us.median}, {"p99", us.p99}}},
  };
  AddRates(series.transfers.rates, &json);
  json["filler_cpu_seconds_per_gb"] = Median(series.transfers.sender_cpus);
  json["trainer_cpu_seconds_per_gb"] = Median(series.transfers.receiver_cpus);
  json["ratio"] = RatioOf(series, report);
  return json;
}

}  // namespace

std::string ToText(const ChannelBenchReport& r) {
  const auto [least, most] =
      std::minmax_element(r.memcpy.rates.begin(), r.memcpy.rates.end());
  return absl::StrCat(
      absl::StrFormat("channel: between two processes of this machine, %d "
                      "rounds in turns.\nHand-over of a batch of %d KiB, one "
                      "at a time, microseconds of %d:\n",
                      r.memcpy.rates.size(), kHandOvers.bytes >> 10,
                      r.shared_memory.handover_ns.size()),
      HandOverLine("shared memory", r.shared_memory),
      HandOverLine("unix socket", r.unix_socket), HandOverLine("gRPC", r.grpc),
      absl::StrFormat(
          "Batches of %d MiB, %d asked for ahead, filled by memcpy; "
          "medians (least to\nmost):\n",
          kTransfers.bytes >> 20, kTransfers.ahead),
      TransferLines("shared memory", r.shared_memory, r),
      TransferLines("unix socket", r.unix_socket, r),
      TransferLines("gRPC", r.grpc, r),
      absl::StrFormat("  %-14s %.2f GB/s (%.2f to %.2f); CPU s/GB: %.2f, one "
                      "thread\n",
                      "memcpy", Median(r.memcpy.rates), *least, *most,
                      Median(r.memcpy.cpus)));
}

std::string ToJson(const ChannelBenchReport& r) {
  Json json = {
      {"benchmark", "channel"},
      {"measured", "batches from one process to another, no sampling"},
      {"handover_batch_bytes", kHandOvers.bytes},
      {"batch_bytes", kTransfers.bytes},
      {"ahead", kTransfers.ahead},
      {"rounds", r.memcpy.rates.size()},
      {"handovers", r.shared_memory.handover_ns.size()},
      {"shared_memory", JsonOf(r.shared_memory, r)},
      {"unix_socket", JsonOf(r.unix_socket, r)},
      {"grpc", JsonOf(r.grpc, r)},
      {"limit", "bytes by memcpy, one thread of one process"},
      {"limit_per_second", Median(r.memcpy.rates) * 1e9},
  };
  Json memcpy;
  AddRates(r.memcpy.rates, &memcpy);
  memcpy["cpu_seconds_per_gb"] = Median(r.memcpy.cpus);
  json["memcpy"] = std::move(memcpy);
  json["ratio"] = RatioOf(r.shared_memory, r);
  return json.dump() + "\n";
}

}  // namespace tributary
