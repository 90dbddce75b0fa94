#include "benchmarks/lib/bench/stream_bench.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/lib/measure/batch_stream.h"
#include "benchmarks/lib/measure/loopback_tcp.h"
#include "common/io/buffer.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kBatchBytes = size_t{64} << 20;
constexpr size_t kFrameBytes = size_t{1} << 20;
constexpr int kBatches = 16;  // in a round, over all streams

// As trainers get them from servers of this release.
const BatchNetwork kOverTcp{.tcp = true};

constexpr char kRaw[] = "raw", kStream[] = "batches";

// Batches and bytes of one stream in a round.
int BatchesOf(int streams) { return std::max(1, kBatches / streams); }
uint64_t BytesOf(int streams) { return kBatchBytes * BatchesOf(streams); }

absl::Status Measure(const std::string& way, int streams,
                     const AlignedBuffer& from, AlignedBuffer& to,
                     TransferSeries& series) {
  std::memset(to.data(), 0, to.size());
  const auto receive = [&](uint16_t port) {
    return way == kRaw
               ? ReceiveSeconds(port, streams, BytesOf(streams), to.span())
               : BatchSeconds(kOverTcp, port, streams, BatchesOf(streams),
                              to.span());
  };
  ASSIGN_OR_RETURN(
      const TransferCost cost,
      MeasureTransfer({"bench", "far-end", way, absl::StrCat(streams)},
                      receive));
  for (int i = 0; i < streams; ++i) {
    if (std::memcmp(from.data(), to.data() + i * kBatchBytes, kBatchBytes) !=
        0) {
      return absl::DataLossError(
          absl::StrCat(way, ": the data received differs from the data sent"));
    }
  }
  series.Add(cost, BytesOf(streams) * streams);
  return absl::OkStatus();
}

// Has the extremes as well: medians alone hide how noisy the machine is.
nlohmann::ordered_json JsonOf(const TransferSeries& series) {
  const auto [least, most] =
      std::minmax_element(series.rates.begin(), series.rates.end());
  return {
      {"bytes_per_second", Median(series.rates) * 1e9},
      {"least_bytes_per_second", *least * 1e9},
      {"most_bytes_per_second", *most * 1e9},
      {"sender_cpu_seconds_per_gb", Median(series.sender_cpus)},
      {"receiver_cpu_seconds_per_gb", Median(series.receiver_cpus)},
  };
}

double RatioOf(const StreamBenchReport& report) {
  return Median(report.batches.rates) / Median(report.raw.rates);
}

}  // namespace

absl::StatusOr<StreamBenchReport> RunStreamBench(
    const StreamBenchOptions& options) {
  const int streams = options.streams;
  const AlignedBuffer from = MakePattern(kBatchBytes);
  AlignedBuffer to(kBatchBytes * streams);
  StreamBenchReport report;
  report.streams = streams;
  const absl::Time start = SteadyClock().Now();
  do {
    RETURN_IF_ERROR(Measure(kRaw, streams, from, to, report.raw));
    RETURN_IF_ERROR(Measure(kStream, streams, from, to, report.batches));
  } while (SteadyClock().Now() - start < options.time);
  return report;
}

absl::Status RunStreamBenchFarEnd(const std::string& way, int streams) {
  const AlignedBuffer room = MakePattern(kBatchBytes);
  if (way == kRaw) {
    return ServeRawStreams(room.span(), streams, BytesOf(streams));
  }
  if (way == kStream)
    return ServeBatchStreams(kOverTcp, room.span(), kFrameBytes);
  return absl::InvalidArgumentError(
      absl::StrCat("WAY ", way, "; allowed: raw, batches"));
}

std::string ToText(const StreamBenchReport& r) {
  return absl::StrFormat(
      "stream: %d at once between two processes over loopback TCP; batches of "
      "%d "
      "MiB,\nframes of %d MiB, CRC32C made and checked, no sampling. Medians "
      "(least to most)\nof %d rounds, in turns:\n"
      "  batches    %s\n"
      "  raw TCP    %s\n"
      "  ratio      %.3f of raw TCP\n",
      r.streams, kBatchBytes >> 20, kFrameBytes >> 20, r.raw.rates.size(),
      ToText(r.batches), ToText(r.raw), RatioOf(r));
}

std::string ToJson(const StreamBenchReport& r) {
  nlohmann::ordered_json json = {
      {"benchmark", "stream"},
      {"measured", "batches between two processes, no sampling"},
      {"streams", r.streams},
      {"batch_bytes", kBatchBytes},
      {"frame_bytes", kFrameBytes},
      {"rounds", r.raw.rates.size()},
  };
  json.update(JsonOf(r.batches));
  json["limit"] = "bytes over as many raw loopback TCP connections";
  json["limit_per_second"] = Median(r.raw.rates) * 1e9;
  json["raw"] = JsonOf(r.raw);
  json["ratio"] = RatioOf(r);
  return json.dump() + "\n";
}

}  // namespace tributary
