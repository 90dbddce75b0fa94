// Prints, for streams between two processes over loopback, the rates of raw
// TCP, of gRPC and of OpenSSL alone, and of batches over TCP and over gRPC, in
// plain text and with mutual TLS, measured in turns in the same run; compare
// their ratios.
//
//   ./dev bench channel [--streams=1] [--rounds=3] [--frame-kib=64,256,1024]
//       [--only=TEXT]    of the ways beside raw TCP, those with TEXT in their
//       name
//       [--certs=FOLDER] with TLS as well, by the certificates that
//       `./dev certs FOLDER --trainer bench` makes
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "benchmarks/channel/bare_grpc_stream.h"
#include "benchmarks/channel/bare_tls_stream.h"
#include "benchmarks/lib/measure/batch_stream.h"
#include "benchmarks/lib/measure/loopback_tcp.h"
#include "benchmarks/lib/measure/measured_transfer.h"
#include "benchmarks/lib/measure/sender_process.h"
#include "common/identity/tls_files.h"
#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kRoom = size_t{64} << 20;
constexpr int kBatches = 16;  // a GiB a measurement, of all streams together

struct Flags {
  std::string serve;  // the far end's: what it serves
  TlsFiles tls;       // likewise; empty: plain text
  std::string certs;  // a folder; empty: TLS is left out
  std::string only;   // of the transports, those whose names contain it
  int streams = 1;
  int rounds = 3;
  int frame_kib = 1024;  // the far end's
  std::vector<int> all_frame_kib = {64, 256, 1024};

  int batches() const { return std::max(1, kBatches / streams); }
  uint64_t bytes() const { return uint64_t{kRoom} * batches(); }  // a stream
};

// One transport and its measurements, by round.
struct Series {
  std::string name;
  std::string serve;
  int frame_kib = 1024;
  std::function<absl::StatusOr<double>(uint16_t port)> seconds;
  TlsFiles tls = {};  // the sender's
  TransferSeries costs = {};
};

// --- the sender's process

absl::Status Serve(const Flags& flags) {
  const AlignedBuffer room = MakePattern(kRoom);
  const auto frame_bytes = static_cast<size_t>(flags.frame_kib) << 10;
  if (flags.serve == "raw") {
    return ServeRawStreams(room.span(), flags.streams, flags.bytes());
  }
  if (flags.serve == "bare") {
    ASSIGN_OR_RETURN(
        const auto source,
        BareGrpcSource::Start(room.span(), frame_bytes, flags.bytes()));
    ServeSenderProcess(source->port());
    return absl::OkStatus();
  }
  if (flags.serve == "openssl") {
    ASSIGN_OR_RETURN(
        const auto source,
        BareTlsSource::Start(flags.tls, room.span(), flags.bytes()));
    ServeSenderProcess(source->port());
    return absl::OkStatus();
  }
  return ServeBatchStreams({.tcp = flags.serve == "tcp", .tls = flags.tls},
                           room.span(), frame_bytes);
}

// --- the receiver's process

// Batches over either network, in plain text or with TLS between `sampler` and
// `trainer`.
void AddBatches(const Flags& flags, absl::Span<uint8_t> to,
                const TlsFiles& sampler, const TlsFiles& trainer,
                std::vector<Series>& all) {
  for (const int kib : flags.all_frame_kib) {
    for (const bool tcp : {true, false}) {
      const BatchNetwork network{.tcp = tcp, .tls = trainer};
      all.push_back({absl::StrCat("batches over ", tcp ? "TCP" : "gRPC",
                                  trainer.empty() ? "" : " with TLS",
                                  ", frames of ", kib, " KiB"),
                     tcp ? "tcp" : "grpc", kib,
                     [=](uint16_t port) {
                       return BatchSeconds(network, port, flags.streams,
                                           flags.batches(), to);
                     },
                     sampler});
    }
  }
}

TlsFiles FilesOf(const std::string& folder, const std::string& name) {
  return {absl::StrCat(folder, "/ca.pem"),
          absl::StrCat(folder, "/", name, ".pem"),
          absl::StrCat(folder, "/", name, ".key")};
}

std::vector<Series> AllSeries(const Flags& flags, absl::Span<uint8_t> to) {
  const int streams = flags.streams;
  std::vector<Series> all;
  all.push_back({"raw writev/readv", "raw", 1024, [=](uint16_t port) {
                   return ReceiveSeconds(port, streams, flags.bytes(), to);
                 }});
  for (const bool copied : {false, true}) {
    all.push_back({copied ? "bare gRPC, copied" : "bare gRPC, dropped", "bare",
                   1024, [=](uint16_t port) {
                     return BareGrpcSeconds(
                         port, streams, flags.bytes(),
                         copied ? to : absl::Span<uint8_t>());
                   }});
  }
  AddBatches(flags, to, {}, {}, all);
  if (flags.certs.empty()) return all;
  const TlsFiles sampler = FilesOf(flags.certs, "sampler");
  const TlsFiles trainer = FilesOf(flags.certs, "trainer-bench");
  if (streams == 1) {
    all.push_back({"bare OpenSSL with TLS", "openssl", 1024,
                   [=](uint16_t port) {
                     return BareTlsSeconds(trainer, port, flags.bytes(), to);
                   },
                   sampler});
  }
  AddBatches(flags, to, sampler, trainer, all);
  return all;
}

absl::Status Measure(const Flags& flags, Series& series) {
  ASSIGN_OR_RETURN(
      const TransferCost cost,
      MeasureTransfer({absl::StrCat("--serve=", series.serve),
                       absl::StrCat("--streams=", flags.streams),
                       absl::StrCat("--frame-kib=", series.frame_kib),
                       absl::StrCat("--tls-ca=", series.tls.ca),
                       absl::StrCat("--tls-cert=", series.tls.cert),
                       absl::StrCat("--tls-key=", series.tls.key)},
                      series.seconds));
  series.costs.Add(cost, flags.bytes() * flags.streams);
  return absl::OkStatus();
}

void Print(const Series& series, const Series& raw) {
  std::printf("%-38s %.2f of raw, %s\n", series.name.c_str(),
              Median(series.costs.rates) / Median(raw.costs.rates),
              ToText(series.costs).c_str());
}

absl::Status Run(const Flags& flags) {
  const AlignedBuffer from = MakePattern(kRoom);
  AlignedBuffer to(kRoom * flags.streams);
  std::vector<Series> all = AllSeries(flags, to.span());
  std::erase_if(all, [&flags](const Series& series) {
    return series.serve != "raw" && !absl::StrContains(series.name, flags.only);
  });
  for (int round = 0; round < flags.rounds; ++round) {
    for (Series& series : all) {
      std::memset(to.data(), 0, to.size());
      RETURN_IF_ERROR(Measure(flags, series));
      if (series.name == "bare gRPC, dropped") continue;
      if (std::memcmp(from.data(), to.data(), kRoom) != 0) {
        return absl::DataLossError(
            absl::StrCat(series.name, ": what arrived is not what was sent"));
      }
    }
  }
  std::printf("%d stream%s, median (least to most) of %d rounds\n",
              flags.streams, flags.streams == 1 ? "" : "s", flags.rounds);
  for (const Series& series : all) Print(series, all[0]);
  return absl::OkStatus();
}

// --- flags

bool ParseOne(const std::string& name, const std::string& value, Flags& flags) {
  const std::pair<const char*, std::string*> texts[] = {
      {"--serve", &flags.serve},       {"--only", &flags.only},
      {"--certs", &flags.certs},       {"--tls-ca", &flags.tls.ca},
      {"--tls-cert", &flags.tls.cert}, {"--tls-key", &flags.tls.key}};
  for (const auto& [text, to] : texts) {
    if (name != text) continue;
    *to = value;
    return true;
  }
  if (name == "--frame-kib") {
    flags.all_frame_kib.clear();
    for (const absl::string_view part : absl::StrSplit(value, ',')) {
      if (!absl::SimpleAtoi(part, &flags.frame_kib) || flags.frame_kib < 1 ||
          flags.frame_kib > 1024) {
        return false;
      }
      flags.all_frame_kib.push_back(flags.frame_kib);
    }
    return true;
  }
  int* const number = name == "--streams"  ? &flags.streams
                      : name == "--rounds" ? &flags.rounds
                                           : nullptr;
  return number != nullptr && absl::SimpleAtoi(value, number) && *number >= 1 &&
         *number <= 16;
}

absl::StatusOr<Flags> Parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    if (ParseOne(parts.first, parts.second, flags)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(argv[i],
                     ": allowed are --streams=1..16, --rounds=1..16, "
                     "--frame-kib=K,... with K 1 to 1024, --only=NAME, "
                     "--certs=FOLDER"));
  }
  return flags;
}

absl::Status Main(int argc, char** argv) {
  ASSIGN_OR_RETURN(const Flags flags, Parse(argc, argv));
  return flags.serve.empty() ? Run(flags) : Serve(flags);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  const absl::Status status = tributary::Main(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
