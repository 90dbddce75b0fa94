// Prints, for one stream over loopback, the raw rate and gRPC's with frames of
// several sizes, taken in turns in the same run: their ratio is what counts.
//
//   bazel run -c opt //benchmarks/channel
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/channel/grpc_batch_stream.h"
#include "benchmarks/channel/raw_stream.h"
#include "common/buffer.h"
#include "common/status.h"

namespace tributary {
namespace {

constexpr size_t kRoom = size_t{64} << 20;
constexpr int kRepeats = 16;  // a GiB a measurement
constexpr int kRounds = 3;

// User and system seconds of this process so far.
double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return t.tv_sec + 1e-6 * t.tv_usec;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
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
    const double cpu = CpuSeconds();
    ASSIGN_OR_RETURN(const double took, seconds());
    rates.push_back(gigabytes / took);
    cpus.push_back((CpuSeconds() - cpu) / gigabytes);
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
                   return RawStreamSeconds(from.data(), to.data(), kRoom,
                                           kRepeats);
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
