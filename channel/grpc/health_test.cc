// grpc.health.v1.Health/Check, and that its calls are limited as all streams.
#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/health_stream.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/grpc/testing/unary_call.h"
#include "channel/grpc/tls/tls_credentials.h"
#include "channel/testing/recording_stream.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

class HealthTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { grpc_init(); }
  static void TearDownTestSuite() { grpc_shutdown(); }

  void Serve(NetworkServerOptions options = {}) {
    auto server = GrpcServer::Start(options, &acceptor_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  grpc::Status Check(const std::string& request, std::string* response) {
    return CallUnary(server_->address(), kHealthCheckPath, request, response);
  }
  bool Becomes(const std::function<bool()>& is_true) {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_true()) {
      if (std::chrono::steady_clock::now() > limit) return false;
      (void)log_.WaitUntil([] { return false; }, std::chrono::milliseconds(20));
    }
    return true;
  }
  // Returns the frames that begin `count` checks, without requests.
  static std::string BeginChecks(uint32_t first_stream, uint32_t count) {
    std::string frames;
    for (uint32_t i = 0; i < count; ++i) {
      frames +=
          raw_http2::Frame(raw_http2::kHeaders, raw_http2::kEndHeaders,
                           first_stream + 2 * i, raw_http2::HealthFields());
    }
    return frames;
  }

  conformance::Log log_;
  conformance::RecordingAcceptor acceptor_{&log_};
  std::unique_ptr<GrpcServer> server_;
};

// HealthCheckResponse{status}: field 1, varint; 1 SERVING, 2 NOT_SERVING.
TEST_F(HealthTest, FollowsSetServing) {
  Serve();
  std::string before, serving, after;
  ASSERT_TRUE(Check("", &before).ok());
  EXPECT_EQ(before, "\x08\x02");
  server_->SetServing(true);
  ASSERT_TRUE(Check("", &serving).ok());
  EXPECT_EQ(serving, "\x08\x01");
  server_->SetServing(false);
  ASSERT_TRUE(Check("", &after).ok());
  EXPECT_EQ(after, "\x08\x02");
}

TEST_F(HealthTest, IsKnownOfTheServerOnly) {
  Serve();
  std::string response;
  EXPECT_TRUE(Check(std::string("\x0a\0", 2), &response).ok());
  EXPECT_EQ(Check("\x0a\x01x", &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(Check("\xff", &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  // Of a field that is not known, as long as it says.
  EXPECT_EQ(
      Check("\x12\x84\x05" + std::string(644, 'x'), &response).error_code(),
      grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(CallUnary(server_->address(), "/grpc.health.v1.Health/Watch", "",
                      &response)
                .error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(HealthTest, ChecksWithoutARequestEnd) {
  Serve();
  raw_http2::Connection silent(server_->address().port);
  ASSERT_TRUE(silent.Begin());
  ASSERT_TRUE(silent.Send(BeginChecks(1, 255)));
  EXPECT_TRUE(Becomes([this] { return server_->num_streams() == 255; }));
  EXPECT_TRUE(Becomes([this] { return server_->num_streams() == 0; }));
  // The connection goes on.
  ASSERT_TRUE(silent.Send(BeginChecks(511, 1)));
  ASSERT_TRUE(silent.SendData(511, raw_http2::MessagePrefix(0)));
  EXPECT_TRUE(silent.Receives(absl::string_view("\0\0\0\0\2\x08\x02", 7)));
}

TEST_F(HealthTest, ChecksTakePlacesOfStreams) {
  NetworkServerOptions options;
  options.max_streams = 8;
  Serve(options);
  raw_http2::Connection greedy(server_->address().port);
  ASSERT_TRUE(greedy.Begin());
  ASSERT_TRUE(greedy.Send(BeginChecks(1, 10)));
  EXPECT_TRUE(Becomes(
      [this] { return server_->refused_streams()["caller_share"] == 6; }));
  EXPECT_TRUE(Becomes([this] { return server_->num_streams() == 4; }));
}

// Over TLS any role may ask, and nobody without a certificate.
TEST_F(HealthTest, AnyRoleMayAsk) {
  TestCertificates certificates;
  NetworkServerOptions options;
  options.tls = certificates.Sampler();
  Serve(options);
  for (const TlsFiles& files :
       {certificates.Sampler("other"), certificates.Trainer("cora"),
        certificates.Operator()}) {
    auto watched = GrpcTlsFiles::Start(files);
    ASSERT_TRUE(watched.ok()) << watched.status();
    std::string response;
    const grpc::Status status =
        CallUnary(server_->address(), kHealthCheckPath, "", &response,
                  MakeChannelCredentials(watched->get(),
                                         std::make_shared<AcceptedServer>()));
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response, "\x08\x02");
  }
  std::string response;
  EXPECT_EQ(Check("", &response).error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace tributary
