// Prints, for one stream over loopback, the raw rate and gRPC's with frames of
// several sizes, taken in turns in the same run: their ratio is what counts.
//
//   bazel run -c opt //benchmarks/channel
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/channel/grpc_batch_stream.h"
#include "common/buffer.h"
#include "common/machine/loopback_tcp.h"
#include "common/machine/rate.h"
#include "common/status.h"

namespace tributary {
namespace {

constexpr size_t kRoom = size_t{64} << 20;
constexpr int kRepeats = 16;  // a GiB a measurement
constexpr int kRounds = 3;

absl::StatusOr<double> RawSeconds(absl::Span<const uint8_t> from,
                                  absl::Span<uint8_t> to) {
  const uint64_t bytes = uint64_t{kRoom} * kRepeats;
  ASSIGN_OR_RETURN(const auto source, LoopbackSource::Listen(from));
  absl::Status sent;
  std::thread sender([&] { sent = source->Send(/*streams=*/1, bytes); });
  const auto seconds = ReceiveSeconds(source->port(), /*streams=*/1, bytes, to);
  sender.join();
  RETURN_IF_ERROR(sent);
  return seconds;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One way to move the bytes, and what it took, round by round.
struct Series {
  std::string name;
  std::function<absl::StatusOr<double>()> seconds;
  std::vector<double> rates;  // GB/s
  std::vector<double> cpus;   // CPU seconds a GB, of both ends

  absl::Status Measure(double gigabytes) {
    const double cpu = ProcessCpuSeconds();
    ASSIGN_OR_RETURN(const double took, seconds());
    rates.push_back(gigabytes / took);
    cpus.push_back((ProcessCpuSeconds() - cpu) / gigabytes);
    return absl::OkStatus();
  }
};

absl::Status Run() {
  AlignedBuffer from(kRoom);
  AlignedBuffer to(kRoom);
  for (size_t i = 0; i < kRoom; ++i) from.data()[i] = i * 131 + (i >> 9);
  std::memset(to.data(), 0, kRoom);
  std::vector<Series> all;
  all.push_back({"raw writev/readv", [&]() -> absl::StatusOr<double> {
                   return RawSeconds(from.span(), to.span());
                 }});
  for (const size_t kib : {64, 256, 1024}) {
    all.push_back({absl::StrCat("gRPC, frames of ", kib, " KiB"), [&, kib] {
                     return GrpcBatchSeconds(from.span(), to.span(), kRepeats,
                                             kib << 10);
                   }});
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Series& series : all) {
      RETURN_IF_ERROR(series.Measure(1e-9 * kRoom * kRepeats));
    }
  }
  if (std::memcmp(from.data(), to.data(), kRoom) != 0) {
    return absl::DataLossError("what arrived is not what was sent");
  }
  for (const Series& series : all) {
    std::printf("%-24s %5.2f GB/s, %.2f of raw; %.2f CPU s/GB\n",
                series.name.c_str(), Median(series.rates),
                Median(series.rates) / Median(all[0].rates),
                Median(series.cpus));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tributary

int main() {
  const absl::Status status = tributary::Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
