// Floods of frames that cost an HTTP/2 server more than their sender, each with
// an honest stream and honest new connections beside it: the server cuts the
// sender after a bounded number of bytes and serves the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
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
#include "channel/grpc/testing/http2_floods.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/testing/recording_stream.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using conformance::Log;
using conformance::Recorder;
using namespace raw_http2;  // NOLINT: its names are those of HTTP/2

constexpr uint64_t kMiB = 1 << 20;
constexpr int kAttacks = 4;  // one after the other
// A second is what newcomers wait at most on a machine that is not overloaded.
constexpr absl::Duration kPatience = absl::Seconds(5);

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
  Servers() {
    plain = std::make_unique<ForkedServer>(NetworkServerOptions());
    NetworkServerOptions options;
    options.tls = certificates.Sampler();
    tls = std::make_unique<ForkedServer>(options);
  }
  TestCertificates certificates;
  std::unique_ptr<ForkedServer> plain;
  std::unique_ptr<ForkedServer> tls;
};

// The first call, before gRPC is used in this process, starts them.
Servers& AllServers() {
  static Servers servers;
  return servers;
}

// One of the servers, and the certificates for it.
struct Served {
  explicit Served(bool with_tls)
      : server_(with_tls ? AllServers().tls.get() : AllServers().plain.get()) {
    if (!with_tls) return;
    thief_ = AllServers().certificates.Trainer("thief");
    honest_ = AllServers().certificates.Trainer("honest");
  }
  ForkedServer* const server_;
  TlsFiles thief_, honest_;
};

class Http2UploadsTest : public ::testing::TestWithParam<bool>,
                         protected Served {
 protected:
  Http2UploadsTest() : Served(GetParam()) {}
};

class Http2FloodsTest
    : public ::testing::TestWithParam<std::tuple<Flood, bool>>,
      protected Served {
 protected:
  Http2FloodsTest() : Served(std::get<bool>(GetParam())) {}

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
    uint64_t taken = 0;
  };
  // Sends until the server cuts.
  Outcome Attack(const std::string& from) {
    const Flood& flood = std::get<Flood>(GetParam());
    Connection attacker(server_->port(), from.c_str(), Tls(thief_));
    const bool cut = SendUntilCut(attacker, flood);
    return {cut, attacker.bytes_acknowledged()};
  }
  // Attacks from a host that has not attacked before, so that it need not wait.
  std::vector<Outcome> AttackAgainAndAgain() {
    static int hosts = 0;
    const std::string from = absl::StrCat("127.0.1.", ++hosts);
    std::vector<Outcome> outcomes;
    for (int i = 0; i < kAttacks; ++i) outcomes.push_back(Attack(from));
    return outcomes;
  }
};

TEST_P(Http2FloodsTest, IsCutAndOthersAreServed) {
  HonestStream stream(server_->port(), honest_);
  ASSERT_TRUE(stream.Answered(10));
  const uint64_t before = server_->resident_bytes();
  std::vector<Outcome> outcomes;
  std::atomic<bool> over = false;
  std::thread attacker([&] {
    outcomes = AttackAgainAndAgain();
    over = true;
  });
  uint64_t peak = before;
  absl::Duration longest;
  int served = 0;
  for (; !over || served == 0; ++served) {
    const absl::Time asked = absl::Now();
    EXPECT_TRUE(ServesNewcomer());
    longest = std::max(longest, absl::Now() - asked);
    peak = std::max<uint64_t>(peak, server_->resident_bytes());
  }
  attacker.join();
  for (const Outcome& outcome : outcomes) {
    EXPECT_TRUE(outcome.cut);
    EXPECT_LT(outcome.taken, std::get<Flood>(GetParam()).most);
  }
  EXPECT_LT(longest, kPatience);
  EXPECT_LT(peak - before, 512 * kMiB);
  EXPECT_TRUE(stream.Answered(10));
  std::cout << "  took at most "
            << std::max_element(outcomes.begin(), outcomes.end(),
                                [](const auto& a, const auto& b) {
                                  return a.taken < b.taken;
                                })
                   ->taken
            << " bytes, grew by " << (peak - before) / kMiB
            << " MiB; newcomers: " << served << ", which waited " << longest
            << " at most\n";
}

// As many bytes on one connection as a flood, but in messages: partial ones of
// several streams at once, before the first is whole.
TEST_P(Http2UploadsTest, UploadsAreNoFlood) {
  constexpr int kStreams = 16;
  constexpr int kMessages = 8;
  const auto payload =
      std::make_shared<const std::string>(size_t{3} << 20, 'x');
  Log log;
  GrpcTransport transport({.tls = honest_});
  std::vector<std::shared_ptr<Recorder>> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_shared<Recorder>(&log));
    clients.back()->set_stream(transport.Connect({"127.0.0.1", server_->port()},
                                                 StreamMethod::kControl,
                                                 clients.back()));
  }
  for (int i = 0; i < kStreams * kMessages; ++i) {
    OutgoingMessage message = Ask(i);
    message.payload = {reinterpret_cast<const uint8_t*>(payload->data()),
                       payload->size()};
    message.payload_owner = payload;
    const auto stream = clients[i % kStreams]->stream();
    ASSERT_NE(stream, nullptr);
    EXPECT_TRUE(stream->Send(std::move(message)).ok());
  }
  for (const auto& client : clients) {
    EXPECT_TRUE(log.WaitUntil([&] {
      return client->num_heard() == kMessages || client->is_closed();
    }));
    EXPECT_FALSE(client->is_closed());
  }
}

INSTANTIATE_TEST_SUITE_P(Floods, Http2UploadsTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Tls" : "Plain";
                         });
INSTANTIATE_TEST_SUITE_P(Floods, Http2FloodsTest,
                         ::testing::Combine(::testing::ValuesIn(AllFloods()),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return absl::StrCat(
                               std::get<Flood>(info.param).name,
                               std::get<bool>(info.param) ? "Tls" : "Plain");
                         });

}  // namespace
}  // namespace tributary
