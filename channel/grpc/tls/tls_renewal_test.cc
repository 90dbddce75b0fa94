// Certificates and authorities that change under a running server, and
// connections that grow old.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "absl/time/clock.h"
#include "channel/grpc/tls/testing/tls_fixture.h"
#include "channel/planned_end.h"

namespace tributary {
namespace {

using conformance::MakeMessage;
using conformance::Recorder;
using ::testing::HasSubstr;

class TlsRenewalTest : public TlsTest {
 protected:
  // Answers each message, so that a client knows that the stream works.
  TlsRenewalTest() {
    acceptor_.set_react([](Recorder& self, const conformance::Heard& heard) {
      if (const auto stream = self.stream()) {
        (void)stream->Send(MakeMessage(heard.call_id, "answer", 1000));
      }
    });
  }

  // Opens a stream, sends a message and waits for the answer; returns OK, or
  // the end of the stream.
  absl::Status Ask(NetworkTransport& transport,
                   StreamMethod method = StreamMethod::kBatches) {
    auto client = Open(transport, method);
    if (const auto stream = client->stream()) {
      (void)stream->Send(MakeMessage(1, "question", 10));
    }
    EXPECT_TRUE(log_.WaitUntil(
        [&] { return client->num_heard() > 0 || client->is_closed(); }));
    if (client->num_heard() == 0) return client->closed().value();
    if (const auto stream = client->stream()) stream->Close(absl::OkStatus());
    return EndOf(*client);
  }
  // Asks again and again, over new connections, until `done` holds of an answer
  // or 15 s have passed. Returns whether it did.
  bool AskUntil(const TlsFiles& files,
                const std::function<bool(const absl::Status&)>& done) {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::seconds(15);
    while (std::chrono::steady_clock::now() < limit) {
      if (done(Ask(MakeTransport(files)))) return true;
    }
    return false;
  }
};

TEST_F(TlsRenewalTest, ABrokenNewFileLeavesTheServerAsItWas) {
  const TlsFiles server = certificates_.Sampler();
  Serve(server);
  const TlsFiles client = certificates_.Trainer("cora");
  // In turn a certificate without its key, half a file, nothing; each longer
  // than the intervals of our watch and of gRPC's together.
  const std::string other = certificates_.authority().Issue({}).cert;
  for (const std::string& cert :
       {other, other.substr(0, other.size() / 2), std::string()}) {
    TestCertificates::Replace(server.cert, cert);
    (void)log_.WaitUntil([] { return false; }, std::chrono::milliseconds(2500));
    const absl::Status end = Ask(MakeTransport(client));
    EXPECT_TRUE(end.ok()) << end;
  }
}

// A client of a new authority is refused, until the server's file has it too.
TEST_F(TlsRenewalTest, AnAuthorityThatIsAddedWorksWithoutARestart) {
  const TlsFiles server = certificates_.Sampler();
  Serve(server);
  CertificateSpec spec;
  spec.uris = {"tributary://trainer/new"};
  const TlsFiles client =
      certificates_.Write(certificates_.authority().pem(),
                          certificates_.foreign_authority().Issue(spec));
  EXPECT_FALSE(Ask(MakeTransport(client)).ok());
  TestCertificates::Replace(server.ca,
                            certificates_.authority().pem() +
                                certificates_.foreign_authority().pem());
  EXPECT_TRUE(
      AskUntil(client, [](const absl::Status& end) { return end.ok(); }));
}

// The three steps of a rotation, each once all have taken the one before: both
// authorities are trusted, certificates of the new one, the old one is gone.
// Streams are opened all the time, over new connections, and none fails.
TEST_F(TlsRenewalTest, RotationOfTheAuthorityUnderLoadFailsNoStream) {
  const std::string old_ca = certificates_.authority().pem();
  const std::string new_ca = certificates_.foreign_authority().pem();
  const TlsFiles server = certificates_.Sampler();
  const TlsFiles client = certificates_.Trainer("cora");
  Serve(server);
  auto& long_lived = MakeTransport(client);
  auto kept = Open(long_lived);
  ASSERT_TRUE(Accepted(1));
  int asked = 0;
  // Longer than the interval of our watch and of gRPC's together.
  const auto load = [&] {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
    while (std::chrono::steady_clock::now() < until) {
      const absl::Status fresh = Ask(MakeTransport(client));
      ASSERT_TRUE(fresh.ok()) << "after " << asked << ": " << fresh;
      const absl::Status same = Ask(long_lived, StreamMethod::kControl);
      ASSERT_TRUE(same.ok()) << "after " << asked << ": " << same;
      transports_.pop_back();
      ++asked;
    }
  };
  const auto replace_ca = [&](const std::string& ca) {
    TestCertificates::Replace(server.ca, ca);
    TestCertificates::Replace(client.ca, ca);
  };
  const auto renew = [&](const TlsFiles& files, const std::string& uri) {
    CertificateSpec spec;
    spec.uris = {uri};
    const PemPair pair = certificates_.foreign_authority().Issue(spec);
    TestCertificates::Replace(files.cert, pair.cert);
    TestCertificates::Replace(files.key, pair.key);
  };
  load();
  replace_ca(old_ca + new_ca);
  load();
  renew(server, "tributary://sampler/fleet");
  renew(client, "tributary://trainer/cora");
  load();
  replace_ca(new_ca);
  load();
  EXPECT_GT(asked, 20);
  EXPECT_FALSE(kept->is_closed());
  // The old authority is worth nothing now.
  EXPECT_FALSE(Ask(MakeTransport(certificates_.Trainer("late"))).ok());
}

TEST_F(TlsRenewalTest, AnOldConnectionEndsByPlanAndANewOneTakesItsStreams) {
  NetworkServerOptions options;
  options.tls = certificates_.Sampler();
  options.age = {.age = absl::Seconds(1), .grace = absl::Seconds(2)};
  Serve(options);
  auto& transport = MakeTransport(certificates_.Trainer("cora"));
  std::set<std::string> connections;
  for (int i = 0; i < 3; ++i) {
    auto batches = Open(transport);
    const absl::Status end = EndOf(*batches);
    EXPECT_TRUE(IsPlannedEnd(end)) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr("longest age"));
    // Opened again at once, as a client does, and answered.
    EXPECT_TRUE(Ask(transport).ok());
    connections.insert(acceptor_.callers().back()->address);
  }
  EXPECT_GE(connections.size(), 3);
}

// What a stream has queued before its connection's end still arrives. But gRPC
// closes the socket once all is sent, and what the client writes meanwhile
// (window updates) is answered by a reset, which a client that is slow to read
// may see first. Then it asks again, as after any loss.
TEST_F(TlsRenewalTest, NothingIsLostAtTheEndOfAConnection) {
  NetworkServerOptions options;
  options.tls = certificates_.Sampler();
  options.age = {.age = absl::Milliseconds(500), .grace = absl::Seconds(1)};
  Serve(options);
  auto& transport = MakeTransport(certificates_.Trainer("cora"));
  absl::Status end;
  for (int attempt = 1; attempt <= 5 && !IsPlannedEnd(end); ++attempt) {
    auto client = Open(transport);
    ASSERT_TRUE(Accepted(attempt));
    const auto server = acceptor_.accepted()[attempt - 1];
    size_t sent = 0;
    while (const auto stream = server->stream()) {
      // As a server with credits does: no more than the client has asked for.
      if (!stream->Send(MakeMessage(sent, "", 1 << 16)).ok()) break;
      ++sent;
      ASSERT_TRUE(log_.WaitUntil([&] {
        return client->num_heard() + 8 > sent || client->is_closed();
      }));
    }
    end = EndOf(*client);
    if (!IsPlannedEnd(end)) continue;
    EXPECT_EQ(client->num_heard(), sent);
    EXPECT_GT(sent, 8);
  }
  EXPECT_TRUE(IsPlannedEnd(end)) << end;
}

TEST_F(TlsRenewalTest, PlainTextConnectionsHaveNoAge) {
  NetworkServerOptions options;
  options.age = {.age = absl::Milliseconds(50),
                 .grace = absl::Milliseconds(50)};
  Serve(options);
  auto client = Open(TlsFiles{});
  ASSERT_TRUE(Accepted(1));
  EXPECT_FALSE(log_.WaitUntil([&] { return client->is_closed(); },
                              std::chrono::milliseconds(500)));
}

// A stream over an old connection has that connection's identity, whatever the
// client's files say by then.
TEST_F(TlsRenewalTest, ANewStreamOnAnOldConnectionKeepsItsIdentity) {
  Serve(certificates_.Sampler());
  const TlsFiles files = certificates_.Trainer("before");
  auto& transport = MakeTransport(files);
  auto kept = Open(transport);
  ASSERT_TRUE(Accepted(1));
  CertificateSpec spec;
  spec.uris = {"tributary://trainer/after"};
  const PemPair pair = certificates_.authority().Issue(spec);
  TestCertificates::Replace(files.cert, pair.cert);
  TestCertificates::Replace(files.key, pair.key);
  // A connection of its own takes the new files, in time.
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(15);
  do {
    ASSERT_TRUE(Ask(transport, StreamMethod::kControl).ok());
  } while (acceptor_.callers().back()->identity.name != "after" &&
           std::chrono::steady_clock::now() < limit);
  EXPECT_EQ(acceptor_.callers().back()->identity.name, "after");
  ASSERT_TRUE(Ask(transport).ok());
  EXPECT_EQ(acceptor_.callers().back()->identity.name, "before");
}

}  // namespace
}  // namespace tributary
