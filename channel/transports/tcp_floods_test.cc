// Floods on streams over TCP, each with an honest stream and honest newcomers
// beside it, over TCP too: the server cuts the sender after a bounded number of
// bytes and serves the others.
#include "channel/tcp/testing/tcp_floods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/grpc/testing/forked_server.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/tcp/first_bytes.h"
#include "channel/testing/recording_stream.h"
#include "channel/transports/network_choice.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using conformance::Log;
using conformance::MakeMessage;
using conformance::Recorder;
using raw_http2::Connection;
using raw_http2::Flood;

constexpr uint64_t kMiB = 1 << 20;
constexpr int kAttacks = 4;  // one after the other
// A second is what newcomers wait at most on a machine that is not overloaded.
constexpr absl::Duration kPatience = absl::Seconds(5);

std::unique_ptr<ForkedServer> StartBoth(const TlsFiles& tls) {
  NetworkServerOptions options;
  options.tls = tls;
  options.takes_tcp = true;
  return std::make_unique<ForkedServer>(
      options, [] {}, StartNetworkServer);
}

struct TcpServers {
  TestCertificates certificates;
  const std::unique_ptr<ForkedServer> plain = StartBoth({});
  const std::unique_ptr<ForkedServer> tls = StartBoth(certificates.Sampler());
};

// The first call, before gRPC is used in this process, starts them.
TcpServers& Servers() {
  static TcpServers servers;
  return servers;
}

// A stream over TCP whose messages come back.
class Asker {
 public:
  Asker(uint16_t port, const TlsFiles& tls)
      : transport_(MakeTcpTransport({.tls = tls}).value()),
        client_(std::make_shared<Recorder>(&log_)) {
    client_->set_stream(transport_->Connect({"127.0.0.1", port},
                                            StreamMethod::kBatches, client_));
  }
  // Asks by a header of some bytes, which comes back.
  bool IsAnswered(size_t bytes = 1000) {
    const size_t before = client_->num_heard();
    (void)client_->stream()->Send(
        MakeMessage(1, std::string(bytes, 'q'), 1000));
    return log_.WaitUntil([&] {
      return client_->num_heard() > before || client_->is_closed();
    }) && !client_->is_closed();
  }

 private:
  Log log_;
  const std::unique_ptr<NetworkTransport> transport_;
  const std::shared_ptr<Recorder> client_;
};

class TcpFloodsTest : public ::testing::TestWithParam<std::tuple<Flood, bool>> {
 protected:
  TcpFloodsTest() : server_(with_tls() ? *Servers().tls : *Servers().plain) {
    if (!with_tls()) return;
    thief_ = Servers().certificates.Trainer("thief");
    honest_ = Servers().certificates.Trainer("honest");
  }
  static bool with_tls() { return std::get<bool>(GetParam()); }
  static const Flood& flood() { return std::get<Flood>(GetParam()); }

  // Each from a host that has not attacked before, so that it need not wait.
  void AttackAgainAndAgain() {
    static int hosts = 0;
    const std::string from = absl::StrCat("127.0.2.", ++hosts);
    for (int i = 0; i < kAttacks; ++i) {
      Connection attacker(server_.port(), from.c_str(),
                          with_tls() ? &thief_ : nullptr, kTcpAlpn);
      EXPECT_TRUE(attacker.connected());
      EXPECT_TRUE(SendUntilCut(attacker, flood()));
      most_taken_ = std::max(most_taken_, attacker.bytes_acknowledged());
    }
  }

  ForkedServer& server_;
  TlsFiles thief_, honest_;
  uint64_t most_taken_ = 0;
};

TEST_P(TcpFloodsTest, IsCutAndOthersAreServed) {
  Asker stream(server_.port(), honest_);
  ASSERT_TRUE(stream.IsAnswered());
  const uint64_t before = server_.resident_bytes();
  std::atomic<bool> over = false;
  std::thread attacker([&] {
    AttackAgainAndAgain();
    over = true;
  });
  uint64_t peak = before;
  absl::Duration longest;
  int served = 0;
  for (; !over || served == 0; ++served) {
    const absl::Time asked = absl::Now();
    EXPECT_TRUE(Asker(server_.port(), honest_).IsAnswered());
    EXPECT_TRUE(stream.IsAnswered());
    longest = std::max(longest, absl::Now() - asked);
    peak = std::max<uint64_t>(peak, server_.resident_bytes());
  }
  attacker.join();
  EXPECT_LT(most_taken_, flood().most);
  EXPECT_LT(longest, kPatience);
  EXPECT_LT(peak - before, 64 * kMiB);
  std::cout << "  took at most " << most_taken_ << " bytes, grew by "
            << (peak - before) / kMiB << " MiB; newcomers: " << served
            << ", which waited " << longest << " at most\n";
}

// As many streams as a test can open, each of which has read and written more
// than its buffers hold.
TEST(TcpStreamMemoryTest, AStreamTakesWhatIsSaid) {
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
  GTEST_SKIP() << "sanitizers keep memory of their own beside it";
#endif
  constexpr size_t kStreams = 200;
  for (const bool with_tls : {false, true}) {
    ForkedServer& server = with_tls ? *Servers().tls : *Servers().plain;
    const TlsFiles files =
        with_tls ? Servers().certificates.Trainer("honest") : TlsFiles();
    ASSERT_TRUE(Asker(server.port(), files).IsAnswered());
    const uint64_t before = server.resident_bytes();
    std::vector<std::unique_ptr<Asker>> streams;
    for (size_t i = 0; i < kStreams; ++i) {
      streams.push_back(std::make_unique<Asker>(server.port(), files));
      EXPECT_TRUE(streams.back()->IsAnswered(size_t{400} << 10));
    }
    const uint64_t each =
        (std::max<uint64_t>(server.resident_bytes(), before) - before) /
        kStreams;
    EXPECT_LT(each, with_tls ? kTlsStreamBytes : kTcpStreamBytes);
    std::cout << "  a stream takes " << each << " bytes"
              << (with_tls ? " with TLS\n" : "\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Floods, TcpFloodsTest,
                         ::testing::Combine(::testing::ValuesIn(AllTcpFloods()),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return absl::StrCat(
                               std::get<Flood>(info.param).name,
                               std::get<bool>(info.param) ? "Tls" : "Plain");
                         });

}  // namespace
}  // namespace tributary
