#include "channel/tls/tls_context.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "absl/time/time.h"
#include "common/identity/testing/test_certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

class ManualClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::UnixEpoch();
};

std::string TextOf(const std::string& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class ReloadedTlsTest : public testing::Test {
 protected:
  void TickSecond() { clock_.now += absl::Seconds(1); }
  void Replace(const PemPair& pair) {
    TestCertificates::Replace(files_.cert, pair.cert);
    TestCertificates::Replace(files_.key, pair.key);
  }
  PemPair Issue(const std::string& uri) {
    return certificates_.authority().Issue({.uris = {uri}});
  }

  TestCertificates certificates_;
  TlsFiles files_ = certificates_.Sampler();
  ManualClock clock_;
};

TEST_F(ReloadedTlsTest, RefusesToBeginWithWhatNoClientWouldAccept) {
  for (const TlsFiles& files :
       {certificates_.WithoutUri(), certificates_.TwoUris(),
        certificates_.Expired("tributary://sampler/a")}) {
    const auto read =
        ReloadedTls::Read(TlsSide::kServer, files, "--http", clock_);
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(files.cert));
  }
}

TEST_F(ReloadedTlsTest, TheOldStaysWhileTheNewIsBroken) {
  ReloadedTls tls =
      ReloadedTls::Read(TlsSide::kServer, files_, "--http", clock_).value();
  const TlsContext before = tls.Current();
  const TlsFiles expired = certificates_.Expired("tributary://sampler/a");
  for (const PemPair& broken :
       {PemPair{TextOf(expired.cert), TextOf(expired.key)},
        certificates_.authority().Issue({}),
        PemPair{"no certificate", "no key"},
        PemPair{Issue("tributary://sampler/a").cert, TextOf(files_.key)}}) {
    Replace(broken);
    TickSecond();
    EXPECT_EQ(tls.Current(), before);
  }
  Replace(Issue("tributary://sampler/b"));
  TickSecond();
  EXPECT_NE(tls.Current(), before);
}

TEST_F(ReloadedTlsTest, LooksOncePerSecondAlsoAfterAFailure) {
  ReloadedTls tls =
      ReloadedTls::Read(TlsSide::kServer, files_, "--http", clock_).value();
  const TlsContext before = tls.Current();
  Replace({"no certificate", "no key"});
  TickSecond();
  EXPECT_EQ(tls.Current(), before);
  Replace(Issue("tributary://sampler/b"));
  clock_.now += absl::Milliseconds(999);
  EXPECT_EQ(tls.Current(), before);
  clock_.now += absl::Milliseconds(1);
  EXPECT_NE(tls.Current(), before);
}

// A file system with coarse times, or a copy that keeps them.
TEST_F(ReloadedTlsTest, LooksAtTheTextAndNotAtTheTimeOfTheFile) {
  const std::string old = TextOf(files_.ca);
  const std::string next = TestAuthority("tributary test authoritz").pem();
  const size_t size = std::max(old.size(), next.size()) + 1;
  const auto write = [&](std::string text) {
    text.resize(size, '\n');
    std::ofstream(files_.ca) << text;  // in place: the same inode
    const timespec times[2] = {};
    ASSERT_EQ(utimensat(AT_FDCWD, files_.ca.c_str(), times, 0), 0);
  };
  write(old);
  ReloadedTls tls =
      ReloadedTls::Read(TlsSide::kServer, files_, "--http", clock_).value();
  const TlsContext before = tls.Current();
  write(old);
  TickSecond();
  EXPECT_EQ(tls.Current(), before);
  write(next);
  TickSecond();
  EXPECT_NE(tls.Current(), before);
}

TEST_F(ReloadedTlsTest, AFileThatIsTouchedChangesNothing) {
  ReloadedTls tls =
      ReloadedTls::Read(TlsSide::kServer, files_, "--http", clock_).value();
  const TlsContext before = tls.Current();
  TestCertificates::Replace(files_.cert, TextOf(files_.cert));
  TickSecond();
  EXPECT_EQ(tls.Current(), before);
}

TEST_F(ReloadedTlsTest, AllAuthoritiesOfTheFileAreTrusted) {
  TestCertificates::Replace(
      files_.ca, TextOf(files_.ca) + certificates_.foreign_authority().pem());
  ReloadedTls tls =
      ReloadedTls::Read(TlsSide::kServer, files_, "--http", clock_).value();
  X509_STORE* const store =
      SSL_CTX_get_cert_store(tls.Current()->native_handle());
  EXPECT_EQ(sk_X509_OBJECT_num(X509_STORE_get0_objects(store)), 2);
}

}  // namespace
}  // namespace tributary
