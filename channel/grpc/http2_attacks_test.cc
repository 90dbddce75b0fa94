// The published faults of gRPC 1.51's HTTP/2, and what else an attacker with a
// connection may send: the server must live, keep its bounds and serve others.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/resource.h>
#include <zlib.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/grpc/testing/forked_server.h"
#include "channel/grpc/testing/raw_http2.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using namespace raw_http2;  // NOLINT: its names are those of HTTP/2

constexpr size_t kMiB = 1 << 20;

// Returns whether a client at another address gets an answer in time.
bool ServesOthers(uint16_t port) {
  Connection other(port, "127.0.0.2");
  return other.connected() && other.Begin() &&
         other.Send(Frame(kHeaders, kEndHeaders, 1, HealthFields())) &&
         other.Send(Frame(kData, kEndStream, 1, MessagePrefix(0))) &&
         other.Receives(absl::string_view("\0\0\0\0\2\x08\x01", 7));
}

// Returns frames that open streams and reset them at once.
std::string Resets(uint32_t first_stream, int count,
                   const std::string& fields) {
  std::string frames;
  for (uint32_t stream = first_stream; count > 0; stream += 2, --count) {
    frames += Frame(kHeaders, kEndHeaders, stream, fields);
    frames += Frame(kRstStream, 0, stream, std::string("\0\0\0\x08", 4));
  }
  return frames;
}

class Http2AttacksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = std::make_unique<ForkedServer>(options_);
    ASSERT_NE(server_->port(), 0);
    ASSERT_TRUE(ServesOthers(server_->port()));
    cpu_ = server_->cpu_time();
    resident_ = server_->resident_bytes();
  }
  void TearDown() override {
    if (!server_->running()) {
      FAIL() << "the server ended: " << server_->ending();
    }
    EXPECT_TRUE(ServesOthers(server_->port()));
    std::cout << "  grew by at most "
              << (server_->peak_resident_bytes() - resident_) / kMiB
              << " MiB, took "
              << absl::FormatDuration(server_->cpu_time() - cpu_) << "\n";
  }
  std::unique_ptr<Connection> Begin() {
    auto made = std::make_unique<Connection>(server_->port());
    EXPECT_TRUE(made->Begin());
    return made;
  }
  // Expects that the server takes little of `frame`, again and again.
  void SendWithoutEnd(Connection& attacker, const std::string& frame) {
    size_t sent = 0;
    while (sent < 256 * kMiB && attacker.Send(frame)) sent += frame.size();
    std::cout << "  took " << sent / kMiB << " MiB\n";
    EXPECT_LT(growth(), 100 * kMiB);
    EXPECT_LT(server_->cpu_time() - cpu_, absl::Seconds(10));
  }
  size_t growth() const {
    const size_t peak = server_->peak_resident_bytes();
    return peak > resident_ ? peak - resident_ : 0;
  }

  NetworkServerOptions options_;
  std::unique_ptr<ForkedServer> server_;
  absl::Duration cpu_;
  size_t resident_ = 0;
};

// CVE-2023-4785: a lack of descriptors ends a listener for good.
TEST(DescriptorsTest, AServerSurvivesTheirExhaustion) {
  ForkedServer server({}, [] {
    const rlimit few{64, 64};
    setrlimit(RLIMIT_NOFILE, &few);
  });
  ASSERT_TRUE(ServesOthers(server.port()));
  const absl::Duration cpu = server.cpu_time();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Connection>> connections;
    for (int i = 0; i < 200; ++i) {
      connections.push_back(std::make_unique<Connection>(server.port()));
    }
    // Those above the limit are closed.
    int closed = 0;
    for (auto& each : connections)
      closed += each->Closed(absl::Milliseconds(1));
    EXPECT_GE(closed, 100);
  }
  EXPECT_TRUE(ServesOthers(server.port()));
  EXPECT_TRUE(server.running()) << server.ending();
  EXPECT_LT(server.cpu_time() - cpu, absl::Seconds(5));
}

// CVE-2023-1428: one of these fields, and headers of more than 8 KiB after it,
// end the process.
TEST_F(Http2AttacksTest, OversizedHeadersAfterABadField) {
  for (const std::string& bad :
       {Field("te", "x"), Field(":scheme", "x"),
        Field("grpclb_client_stats", "x"), Field("grpc-timeout", "x"),
        Field("content-type", "x"), Field(":method", "x"),
        Field("grpc-encoding", "x")}) {
    auto attacker = Begin();
    std::string fields = bad;
    for (int i = 0; i < 3; ++i) {
      fields += Field(absl::StrCat("a", i), std::string(4000, 'x'));
    }
    attacker->Send(Frame(kHeaders, kEndHeaders, 1, fields));
    attacker->Send(Frame(kPing, 0, 0, "12345678"));
    attacker->Closed(absl::Milliseconds(200));
    EXPECT_TRUE(server_->running());
  }
}

// CVE-2023-32731: the rest of headers beyond the limit is not parsed, so that
// the tables of both ends differ from then on: the connection must not go on.
TEST_F(Http2AttacksTest, ConnectionsEndWithOversizedHeaders) {
  auto attacker = Begin();
  std::string fields = CallFields();
  for (int i = 0; i < 3; ++i) {
    fields += Field(absl::StrCat("a", i), std::string(4000, 'x'));
  }
  attacker->Send(Frame(kHeaders, kEndHeaders, 1, fields));
  EXPECT_TRUE(attacker->Closed(absl::Seconds(5)));
}

// CVE-2023-32732: a value of a -bin field that is no base64 ends the
// connection; CVE-2024-7246: what is indexed after it fails too.
TEST_F(Http2AttacksTest, BinaryFieldsThatAreNoBase64) {
  auto attacker = Begin();
  attacker->Send(
      Frame(kHeaders, kEndHeaders, 1, CallFields() + Field("x-bin", "*!")));
  const bool closed = attacker->Closed(absl::Milliseconds(500));
  std::cout << "  closed: " << closed << "\n";
}

// CVE-2023-33953: a string is kept until all of it has arrived.
TEST_F(Http2AttacksTest, AFieldOfGigabytes) {
  auto attacker = Begin();
  const std::string begun =
      absl::StrCat(CallFields(), std::string(1, '\0'), Integer(0, 7, 1), "a",
                   Integer(0, 7, 0xf0000000));
  attacker->Send(Frame(kHeaders, 0, 1, begun));
  const std::string more = Frame(kContinuation, 0, 1, std::string(16384, 'x'));
  SendWithoutEnd(*attacker, more);
}

// CVE-2023-33953: an integer may have any number of leading zeros.
TEST_F(Http2AttacksTest, AnIntegerWithoutEnd) {
  auto attacker = Begin();
  attacker->Send(Frame(kHeaders, 0, 1, "\x7f"));
  const std::string more =
      Frame(kContinuation, 0, 1, std::string(16384, '\x80'));
  SendWithoutEnd(*attacker, more);
}

// CVE-2024-27316 and its kin: headers that never end.
TEST_F(Http2AttacksTest, ContinuationsWithoutEnd) {
  auto attacker = Begin();
  attacker->Send(Frame(kHeaders, 0, 1, CallFields()));
  std::string fields;
  while (fields.size() < 16000) fields += Field("a", "");
  const std::string more = Frame(kContinuation, 0, 1, fields);
  size_t sent = 0;
  while (sent < 256 * kMiB && attacker->Send(more)) sent += more.size();
  std::cout << "  took " << sent / kMiB << " MiB\n";
  EXPECT_LT(growth(), 100 * kMiB);
}

// CVE-2023-44487: streams that are reset at once do not count as open.
TEST_F(Http2AttacksTest, RapidReset) {
  auto attacker = Begin();
  uint32_t stream = 1;
  bool open = true;
  const absl::Time end = absl::Now() + absl::Seconds(5);
  for (; open && absl::Now() < end; stream += 200) {
    open = attacker->Send(Resets(stream, 100, CallFields()));
  }
  std::cout << "  opened " << stream / 2 << " streams\n";
  EXPECT_FALSE(open);
  EXPECT_LT(growth(), 100 * kMiB);
}

// Too few bytes to be cut for those.
TEST_F(Http2AttacksTest, RapidResetOfHealthChecks) {
  for (const char* method : {"Check", "Watch"}) {
    auto attacker = Begin();
    attacker->Send(Resets(1, 4000, HealthFields(method)));
    EXPECT_TRUE(attacker->Closed(absl::Seconds(5))) << method;
  }
  EXPECT_LT(growth(), 150 * kMiB);
}

// CVE-2025-8671: streams that the server is made to reset.
TEST_F(Http2AttacksTest, ResetsThatTheServerSends) {
  auto attacker = Begin();
  uint32_t stream = 1;
  bool open = true;
  const absl::Time end = absl::Now() + absl::Seconds(5);
  while (open && absl::Now() < end) {
    std::string frames;
    for (int i = 0; i < 100; ++i, stream += 2) {
      frames += Frame(kHeaders, kEndHeaders, stream, CallFields());
      frames += Frame(kWindowUpdate, 0, stream, std::string(4, '\0'));
    }
    open = attacker->Send(frames);
  }
  std::cout << "  opened " << stream / 2 << " streams\n";
  EXPECT_FALSE(open);
}

// Streams of a method that does not exist count like others.
TEST_F(Http2AttacksTest, CallsOfNoMethod) {
  auto attacker = Begin();
  uint32_t stream = 1;
  bool open = true;
  const absl::Time end = absl::Now() + absl::Seconds(5);
  while (open && absl::Now() < end) {
    std::string frames;
    for (int i = 0; i < 100; ++i, stream += 2) {
      frames +=
          Frame(kHeaders, kEndHeaders | kEndStream, stream, CallFields("Nope"));
    }
    open = attacker->Send(frames);
  }
  std::cout << "  opened " << stream / 2 << " streams\n";
  EXPECT_FALSE(open);
}

// 16384 messages at once, none of which is one of ours.
TEST_F(Http2AttacksTest, ManyTinyMessages) {
  auto attacker = Begin();
  attacker->Send(Frame(kHeaders, kEndHeaders, 1, CallFields()));
  std::string messages;
  for (int i = 0; i < 16384; ++i) messages += MessagePrefix(0);
  for (size_t at = 0; at < messages.size(); at += 16384) {
    attacker->SendData(1, messages.substr(at, 16384), absl::Seconds(1));
  }
  EXPECT_LT(growth(), 100 * kMiB);
}

// A message's length is compared with the limit when all of it has arrived.
TEST_F(Http2AttacksTest, AMessageOfGigabytes) {
  auto attacker = Begin();
  attacker->Send(Frame(kHeaders, kEndHeaders, 1, CallFields()));
  attacker->SendData(1, MessagePrefix(0xffffffff));
  const std::string more(16384, 'x');
  size_t sent = 0;
  while (sent < 512 * kMiB && attacker->SendData(1, more, absl::Seconds(2))) {
    sent += more.size();
  }
  std::cout << "  took " << sent / kMiB << " MiB\n";
  // What arrives in a tenth of a second over loopback comes on top.
  EXPECT_LT(growth(), 300 * kMiB);
}

// A partial message in each of many streams.
TEST_F(Http2AttacksTest, ManyPartialMessages) {
  std::vector<std::unique_ptr<Connection>> attackers;
  const std::string part(16384, 'x');
  for (int i = 0; i < 4; ++i) {
    attackers.push_back(Begin());
    Connection& attacker = *attackers.back();
    bool open = true;
    for (uint32_t stream = 1; open && stream < 2 * 64; stream += 2) {
      open = attacker.Send(Frame(kHeaders, kEndHeaders, stream, CallFields()));
      open = open && attacker.SendData(stream, MessagePrefix(4 * kMiB));
      for (size_t sent = 0; open && sent < 3 * kMiB; sent += 16384) {
        open = attacker.SendData(stream, part);
      }
    }
  }
  EXPECT_LT(growth(), 600 * kMiB);
}

// What gzip makes of zeros.
TEST_F(Http2AttacksTest, AMessageThatGrowsWhenDecompressed) {
  std::string bomb(8 * kMiB, '\0');
  z_stream zip{};
  ASSERT_EQ(deflateInit2(&zip, 9, Z_DEFLATED, 15 | 16, 9, Z_DEFAULT_STRATEGY),
            Z_OK);
  const std::string zeros(kMiB, '\0');
  zip.next_out = reinterpret_cast<Bytef*>(bomb.data());
  zip.avail_out = static_cast<uInt>(bomb.size());
  for (int i = 0; i < 256; ++i) {
    zip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zeros.data()));
    zip.avail_in = static_cast<uInt>(zeros.size());
    deflate(&zip, i == 255 ? Z_FINISH : Z_NO_FLUSH);
  }
  bomb.resize(zip.total_out);
  deflateEnd(&zip);
  auto attacker = Begin();
  attacker->Send(Frame(kHeaders, kEndHeaders, 1,
                       CallFields() + Field("grpc-encoding", "gzip")));
  const std::string message =
      MessagePrefix(static_cast<uint32_t>(bomb.size()), true) + bomb;
  for (size_t at = 0; at < message.size(); at += 16384) {
    if (!attacker->SendData(1, message.substr(at, 16384), absl::Seconds(1)))
      break;
  }
  attacker->Closed(absl::Seconds(3));
  EXPECT_LT(growth(), 100 * kMiB);
}

// CVE-2019-9512, CVE-2019-9515: answers that the attacker does not read.
TEST_F(Http2AttacksTest, FloodsOfPingsAndSettings) {
  for (const std::string& frame :
       {Frame(kPing, 0, 0, "12345678"), Frame(kSettings, 0, 0, ""),
        Frame(kWindowUpdate, 0, 0, std::string("\0\0\0\1", 4))}) {
    auto attacker = Begin();
    std::string frames;
    for (int i = 0; i < 1000; ++i) frames += frame;
    for (int i = 0; i < 500 && attacker->Send(frames, absl::Seconds(1)); ++i) {
    }
  }
  EXPECT_LT(growth(), 100 * kMiB);
}

// Sends the parts of attacks over TLS of a client without a certificate, which
// the server refuses only after the client believes that it is connected.
// Returns the bytes that were taken.
size_t SendWithoutCertificate(const Connection& connection) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  const std::unique_ptr<SSL, void (*)(SSL*)> ssl(SSL_new(context.get()),
                                                 SSL_free);
  SSL_set_fd(ssl.get(), connection.fd());
  const std::string alpn = "\x02h2";
  SSL_set_alpn_protos(ssl.get(),
                      reinterpret_cast<const unsigned char*>(alpn.data()),
                      static_cast<unsigned>(alpn.size()));
  if (SSL_connect(ssl.get()) != 1) return 0;
  const std::string begun =
      Preface() + Frame(kHeaders, kEndHeaders, 1, CallFields());
  size_t taken = 0;
  while (taken < 64 * kMiB) {
    const std::string bytes =
        taken == 0 ? begun : Frame(kData, 0, 1, std::string(16384, 'x'));
    if (SSL_write(ssl.get(), bytes.data(), static_cast<int>(bytes.size())) <=
        0) {
      break;
    }
    taken += bytes.size();
  }
  return taken;
}

// So what is above needs a certificate wherever one is required.
TEST(TlsAttacksTest, WithoutACertificateNothingReachesHttp2) {
  signal(SIGPIPE, SIG_IGN);
  TestCertificates certificates;
  NetworkServerOptions options;
  options.tls = certificates.Sampler();
  options.stream_idle_timeout = absl::Seconds(1);
  ForkedServer server(options);
  ASSERT_NE(server.port(), 0);
  const size_t before = server.resident_bytes();
  for (int i = 0; i < 20; ++i) {
    Connection plain(server.port());
    plain.Send(Preface() + Frame(kHeaders, kEndHeaders, 1, CallFields()));
    EXPECT_TRUE(plain.Closed());
    const Connection stranger(server.port());
    EXPECT_LT(SendWithoutCertificate(stranger), 16 * kMiB);
  }
  EXPECT_TRUE(server.running()) << server.ending();
  EXPECT_LT(server.peak_resident_bytes() - before, 50 * kMiB);
}

}  // namespace
}  // namespace tributary
