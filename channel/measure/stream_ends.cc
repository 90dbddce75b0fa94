#include "channel/measure/stream_ends.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "channel/measure/batch_stream.h"
#include "channel/measure/far_end.h"
#include "channel/measure/loopback_tcp.h"
#include "channel/measure/rate.h"
#include "common/text/status.h"

namespace tributary {

AlignedBuffer FilledRoom(size_t bytes) {
  AlignedBuffer room(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    room.data()[i] = static_cast<uint8_t>(i * 131 + (i >> 9));
  }
  return room;
}

absl::Status ServeRawStreams(absl::Span<const uint8_t> room, int streams,
                             uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto source, LoopbackSource::Listen(room));
  absl::Status sent;
  std::thread sender([&] { sent = source->Send(streams, bytes); });
  ServeFarEnd(source->port());
  sender.join();
  return sent;
}

absl::Status ServeBatchStreams(absl::Span<const uint8_t> room,
                               size_t frame_bytes) {
  ASSIGN_OR_RETURN(const auto source, BatchSource::Start(room, frame_bytes));
  ServeFarEnd(source->port());
  return absl::OkStatus();
}

absl::StatusOr<TransferCost> MeasureTransfer(
    std::vector<std::string> arguments,
    const std::function<absl::StatusOr<double>(uint16_t port)>& receive) {
  ASSIGN_OR_RETURN(const auto far_end, FarEnd::Start(std::move(arguments)));
  ASSIGN_OR_RETURN(const double far_cpu, far_end->CpuSeconds());
  const double cpu = ProcessCpuSeconds();
  const absl::StatusOr<double> seconds = receive(far_end->port());
  if (!seconds.ok()) return far_end->CauseOf(seconds.status());
  TransferCost cost;
  cost.seconds = *seconds;
  cost.receiver_cpu_seconds = ProcessCpuSeconds() - cpu;
  ASSIGN_OR_RETURN(const double far_cpu_after, far_end->CpuSeconds());
  cost.sender_cpu_seconds = far_cpu_after - far_cpu;
  return cost;
}

void TransferSeries::Add(const TransferCost& cost, uint64_t bytes) {
  const double gigabytes = 1e-9 * static_cast<double>(bytes);
  rates.push_back(gigabytes / cost.seconds);
  sender_cpus.push_back(cost.sender_cpu_seconds / gigabytes);
  receiver_cpus.push_back(cost.receiver_cpu_seconds / gigabytes);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string ToText(const TransferSeries& s) {
  const auto [least, most] =
      std::minmax_element(s.rates.begin(), s.rates.end());
  return absl::StrFormat(
      "%.2f GB/s (%.2f to %.2f); CPU s/GB: sender %.2f, receiver %.2f",
      Median(s.rates), *least, *most, Median(s.sender_cpus),
      Median(s.receiver_cpus));
}

}  // namespace tributary
