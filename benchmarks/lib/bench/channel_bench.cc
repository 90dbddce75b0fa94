#include "benchmarks/lib/bench/channel_bench.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmarks/lib/bench/channel_bench_sizes.h"
#include "benchmarks/lib/measure/batch_filler.h"
#include "benchmarks/lib/measure/measured_channel.h"
#include "benchmarks/lib/measure/rate.h"
#include "channel/shm/shared_memory.h"
#include "common/io/buffer.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// A channel and its measurements so far.
struct Measured {
  const char* name;
  ChannelSeries* series;
  std::unique_ptr<MeasuredChannel> channel;
};

absl::StatusOr<Measured> Open(const char* name, ChannelKind kind,
                              ChannelSeries* series) {
  ASSIGN_OR_RETURN(
      auto channel,
      MeasuredChannel::Open(kind, {"bench", "filling-end"}, kChannelMemory));
  // Both ends touch all pages before anything is timed.
  BatchesAsked all = kTransfers;
  all.batches = static_cast<int>(kChannelMemory / all.bytes);
  RETURN_IF_ERROR(channel->Run(all).status());
  return Measured{name, series, std::move(channel)};
}

// Compares the data but for the stamps, which BatchAsker has checked.
absl::Status CheckArrived(const char* name, absl::Span<const uint8_t> from,
                          absl::Span<const uint8_t> to) {
  constexpr size_t kStamp = sizeof(BatchStamp);
  for (size_t at = 0; at < from.size(); at += kTransfers.bytes) {
    if (std::memcmp(from.data() + at + kStamp, to.data() + at + kStamp,
                    kTransfers.bytes - kStamp) != 0) {
      return absl::DataLossError(
          absl::StrCat(name, ": the data received differs from the data sent"));
    }
  }
  return absl::OkStatus();
}

absl::Status Measure(const AlignedBuffer& from, Measured& measured) {
  ASSIGN_OR_RETURN(const ChannelRun small, measured.channel->Run(kHandOvers));
  auto& handovers = measured.series->handover_ns;
  handovers.insert(handovers.end(), small.arrived.handover_ns.begin(),
                   small.arrived.handover_ns.end());
  const absl::Span<uint8_t> to = measured.channel->memory();
  std::memset(to.data(), 0, to.size());
  ASSIGN_OR_RETURN(const ChannelRun large, measured.channel->Run(kTransfers));
  RETURN_IF_ERROR(CheckArrived(measured.name, from.span(), to));
  measured.series->transfers.Add(large.cost, kTransferBytes);
  return absl::OkStatus();
}

void MeasureMemcpy(const AlignedBuffer& from, absl::Span<uint8_t> to,
                   MemcpySeries* series) {
  const double cpu = ProcessCpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTransfers.batches; ++i) {
    const size_t at = i * kTransfers.bytes % kChannelMemory;
    std::memcpy(to.data() + at, from.data() + at, kTransfers.bytes);
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  constexpr double kGigabytes = 1e-9 * static_cast<double>(kTransferBytes);
  series->rates.push_back(kGigabytes / seconds.count());
  series->cpus.push_back((ProcessCpuSeconds() - cpu) / kGigabytes);
}

}  // namespace

absl::StatusOr<ChannelBenchReport> RunChannelBench(absl::Duration time) {
  const AlignedBuffer from = MakePattern(kChannelMemory);
  ASSIGN_OR_RETURN(const auto copy, SharedMemory::Create(kChannelMemory));
  std::memset(copy->bytes().data(), 0, kChannelMemory);
  ChannelBenchReport report;
  ASSIGN_OR_RETURN(
      Measured shared,
      Open("shared memory", ChannelKind::kSharedMemory, &report.shared_memory));
  ASSIGN_OR_RETURN(
      Measured sockets,
      Open("unix socket", ChannelKind::kUnixSocket, &report.unix_socket));
  ASSIGN_OR_RETURN(Measured grpc,
                   Open("gRPC", ChannelKind::kGrpc, &report.grpc));
  const absl::Time start = SteadyClock().Now();
  do {
    MeasureMemcpy(from, copy->bytes(), &report.memcpy);
    for (Measured* measured : {&shared, &sockets, &grpc}) {
      RETURN_IF_ERROR(Measure(from, *measured));
    }
  } while (SteadyClock().Now() - start < time);
  return report;
}

absl::Status RunFillingEnd(std::optional<UniqueFd> door) {
  const AlignedBuffer from = MakePattern(kChannelMemory);
  if (!door.has_value()) return ServeFillerOverGrpc(from.span());
  return ServeFillerAtDoor(*std::move(door), from.span());
}

}  // namespace tributary
