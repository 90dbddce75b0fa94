// Floods of frames that cost an HTTP/2 server more than their sender, each with
// an honest stream and honest new connections beside it: the server cuts the
// sender after a bounded number of bytes and serves the others.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/grpc/testing/forked_server.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/testing/recording_stream.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using conformance::Log;
using conformance::Recorder;
using namespace raw_http2;  // NOLINT: its names are those of HTTP/2

constexpr uint64_t kMiB = 1 << 20;
constexpr const char* kAttacker = "127.0.0.66";
constexpr size_t kChunk = 64 << 10;

std::string Repeated(const std::string& frame, size_t bytes) {
  std::string frames;
  while (frames.size() < bytes) frames += frame;
  return frames;
}

// What an attacker sends after the preface, piece by piece without end.
struct Flood {
  const char* name;
  std::function<std::string(int piece)> piece;
};

std::string Continuations(int piece, const std::string& fields) {
  const std::string first =
      piece == 0 ? Frame(kHeaders, 0, 1, CallFields()) : "";
  return first + Repeated(Frame(kContinuation, 0, 1, fields), kChunk);
}

constexpr int kResetsOfPiece = 100;

std::string Resets(int piece) {
  std::string frames;
  const uint32_t first = static_cast<uint32_t>(piece) * kResetsOfPiece;
  for (uint32_t i = first; i < first + kResetsOfPiece; ++i) {
    frames += Frame(kHeaders, kEndHeaders, 2 * i + 1, CallFields());
    frames += Frame(kRstStream, 0, 2 * i + 1, std::string("\0\0\0\x08", 4));
  }
  return frames;
}

const Flood kFloods[] = {
    {"Continuations", [](int i) { return Continuations(i, Field("a", "")); }},
    {"EmptyContinuations", [](int i) { return Continuations(i, ""); }},
    {"Resets", Resets},
    {"Pings",
     [](int) { return Repeated(Frame(kPing, 0, 0, "12345678"), kChunk); }},
    {"Settings",
     [](int) { return Repeated(Frame(kSettings, 0, 0, ""), kChunk); }},
    {"WindowUpdates",
     [](int) {
       return Repeated(Frame(kWindowUpdate, 0, 0, std::string("\0\0\0\1", 4)),
                       kChunk);
     }},
};

OutgoingMessage Ask(uint64_t number) {
  OutgoingMessage message;
  message.kind = MessageKind::kCredit;
  message.call_id = number;
  message.header = "an honest question";
  return message;
}

// A stream that sends its next message once the last has come back. On gRPC's
// threads.
class HonestStream {
 public:
  HonestStream(uint16_t port, const TlsFiles& tls)
      : transport_({.tls = tls}),
        client_(std::make_shared<Recorder>(
            &log_, [](Recorder& self, const conformance::Heard& heard) {
              if (auto stream = self.stream()) {
                (void)stream->Send(Ask(heard.call_id + 1));
              }
            })) {
    client_->set_stream(transport_.Connect({"127.0.0.1", port},
                                           StreamMethod::kBatches, client_));
    (void)client_->stream()->Send(Ask(1));
  }
  bool Answered(size_t more) {
    const size_t before = client_->num_heard();
    return log_.WaitUntil([&] {
      return client_->num_heard() >= before + more || client_->is_closed();
    }) && !client_->is_closed();
  }
  size_t answers() { return client_->num_heard(); }

 private:
  Log log_;
  GrpcTransport transport_;
  const std::shared_ptr<Recorder> client_;
};

struct Servers {
  TestCertificates certificates;
  std::unique_ptr<ForkedServer> plain;
  std::unique_ptr<ForkedServer> tls;
};

class Http2FloodsTest
    : public ::testing::TestWithParam<std::tuple<Flood, bool>> {
 protected:
  // Before gRPC is used in this process.
  static void SetUpTestSuite() {
    servers_ = std::make_unique<Servers>();
    servers_->plain = std::make_unique<ForkedServer>(GrpcServerOptions());
    GrpcServerOptions options;
    options.tls = servers_->certificates.Sampler();
    servers_->tls = std::make_unique<ForkedServer>(options);
  }
  static void TearDownTestSuite() { servers_ = nullptr; }

  Http2FloodsTest() {
    if (std::get<bool>(GetParam())) {
      server_ = servers_->tls.get();
      thief_ = servers_->certificates.Trainer("thief");
      honest_ = servers_->certificates.Trainer("honest");
    } else {
      server_ = servers_->plain.get();
    }
  }
  const TlsFiles* Tls(const TlsFiles& files) const {
    return files.empty() ? nullptr : &files;
  }
  bool ServesNewcomer() {
    Connection other(server_->port(), "127.0.0.2", Tls(honest_));
    return other.connected() && other.Begin() &&
           other.Send(Frame(kHeaders, kEndHeaders, 1, HealthFields())) &&
           other.Send(Frame(kData, kEndStream, 1, MessagePrefix(0))) &&
           other.Receives(absl::string_view("\0\0\0\0\2\x08\x01", 7));
  }
  struct Outcome {
    bool cut = false;
    uint64_t sent = 0;
    uint64_t taken = 0;
    absl::Duration time;
  };
  Outcome Attack() {
    const Flood& flood = std::get<Flood>(GetParam());
    Outcome outcome;
    Connection attacker(server_->port(), kAttacker, Tls(thief_));
    if (!attacker.connected()) return outcome;
    const absl::Time start = absl::Now();
    for (int i = 0; !outcome.cut && outcome.sent < 512 * kMiB; ++i) {
      const std::string piece = (i == 0 ? Preface() : "") + flood.piece(i);
      outcome.cut = !attacker.Send(piece);
      if (!outcome.cut) outcome.sent += piece.size();
    }
    outcome.taken = attacker.bytes_acknowledged();
    outcome.time = absl::Now() - start;
    return outcome;
  }

  static std::unique_ptr<Servers> servers_;
  ForkedServer* server_ = nullptr;
  TlsFiles thief_, honest_;
};
std::unique_ptr<Servers> Http2FloodsTest::servers_;

TEST_P(Http2FloodsTest, IsCutAndOthersAreServed) {
  HonestStream stream(server_->port(), honest_);
  ASSERT_TRUE(stream.Answered(10));
  const size_t before = server_->resident_bytes();
  std::atomic<bool> over = false;
  std::vector<Outcome> outcomes;
  std::thread attacker([&] {
    for (int i = 0; i < 12; ++i) outcomes.push_back(Attack());
    over = true;
  });
  int served = 0;
  absl::Duration longest;
  const size_t answers = stream.answers();
  const absl::Time start = absl::Now();
  size_t peak = 0;
  while (!over) {
    const absl::Time asked = absl::Now();
    EXPECT_TRUE(ServesNewcomer());
    longest = std::max(longest, absl::Now() - asked);
    peak = std::max(peak, server_->resident_bytes());
    ++served;
  }
  attacker.join();
  for (const Outcome& outcome : outcomes) {
    std::cout << "  cut " << outcome.cut << " sent " << outcome.sent / kMiB
              << " MiB, taken " << outcome.taken / kMiB << " MiB "
              << outcome.taken << " in " << outcome.time << "\n";
  }
  std::cout << "  newcomers " << served << " longest " << longest << " answers "
            << stream.answers() - answers << " in " << absl::Now() - start
            << " grew " << (peak - std::min(peak, before)) / kMiB << " MiB\n";
  EXPECT_TRUE(stream.Answered(10));
}

INSTANTIATE_TEST_SUITE_P(Floods, Http2FloodsTest,
                         ::testing::Combine(::testing::ValuesIn(kFloods),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return absl::StrCat(
                               std::get<Flood>(info.param).name,
                               std::get<bool>(info.param) ? "Tls" : "Plain");
                         });

}  // namespace
}  // namespace tributary
