#include "benchmarks/lib/measure/measured_transfer.h"

#include <thread>
#include <utility>

#include "benchmarks/lib/measure/batch_stream.h"
#include "benchmarks/lib/measure/loopback_tcp.h"
#include "benchmarks/lib/measure/rate.h"
#include "benchmarks/lib/measure/sender_process.h"
#include "common/text/status.h"

namespace tributary {

AlignedBuffer MakePattern(size_t bytes) {
  AlignedBuffer pattern(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    pattern.data()[i] = static_cast<uint8_t>(i * 131 + (i >> 9));
  }
  return pattern;
}

absl::Status ServeRawStreams(absl::Span<const uint8_t> room, int streams,
                             uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto source, LoopbackSource::Listen(room));
  absl::Status sent;
  std::thread sender([&] { sent = source->Send(streams, bytes); });
  ServeSenderProcess(source->port());
  sender.join();
  return sent;
}

absl::Status ServeBatchStreams(const BatchNetwork& network,
                               absl::Span<const uint8_t> room,
                               size_t frame_bytes) {
  ASSIGN_OR_RETURN(const auto source,
                   BatchSender::Start(network, room, frame_bytes));
  ServeSenderProcess(source->port());
  return absl::OkStatus();
}

absl::StatusOr<TransferCost> MeasureTransfer(
    std::vector<std::string> arguments,
    const std::function<absl::StatusOr<double>(uint16_t port)>& receive) {
  ASSIGN_OR_RETURN(const auto sender,
                   SenderProcess::Start(std::move(arguments)));
  ASSIGN_OR_RETURN(const double sender_cpu, sender->CpuSeconds());
  const double cpu = ProcessCpuSeconds();
  const absl::StatusOr<double> seconds = receive(sender->port());
  if (!seconds.ok()) return sender->CauseOf(seconds.status());
  TransferCost cost;
  cost.seconds = *seconds;
  cost.receiver_cpu_seconds = ProcessCpuSeconds() - cpu;
  ASSIGN_OR_RETURN(const double sender_cpu_after, sender->CpuSeconds());
  cost.sender_cpu_seconds = sender_cpu_after - sender_cpu;
  return cost;
}

}  // namespace tributary
