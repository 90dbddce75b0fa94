#include "channel/tls/watched_tls_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "absl/time/clock.h"
#include "channel/testing/recording_stream.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Waits until the files are in use for the first time since Start, `most` at
// the longest. Returns whether they are.
bool Changed(const WatchedTlsFiles& watched, absl::Duration most) {
  conformance::Log pause;
  const absl::Time limit = absl::Now() + most;
  while (watched.num_changes() == 0 && absl::Now() < limit) {
    (void)pause.WaitUntil([] { return false; }, std::chrono::milliseconds(5));
  }
  return watched.num_changes() == 1;
}

TEST(WatchedTlsFiles, TakesWholeChangesAndKeepsTheOldOnesOtherwise) {
  TestCertificates certificates;
  const TlsFiles files = certificates.Trainer("one");
  std::string used;  // by the thread, before identity() says so
  auto watched = WatchedTlsFiles::Start(
      files,
      [&used](const TlsMaterial& material) {
        used = material.cert;
        return absl::OkStatus();
      },
      absl::Milliseconds(5));
  ASSERT_TRUE(watched.ok()) << watched.status();
  EXPECT_EQ((*watched)->identity().name, "one");
  CertificateSpec spec;
  spec.uris = {"tributary://trainer/two"};
  const PemPair two = certificates.authority().Issue(spec);
  testing::internal::CaptureStderr();
  // A certificate without its key, for many intervals.
  TestCertificates::Replace(files.cert, two.cert);
  EXPECT_FALSE(Changed(**watched, absl::Milliseconds(300)));
  EXPECT_EQ((*watched)->identity().name, "one");
  TestCertificates::Replace(files.key, two.key);
  EXPECT_TRUE(Changed(**watched, absl::Seconds(10)));
  EXPECT_EQ((*watched)->identity().name, "two");
  EXPECT_EQ(used, two.cert);
  const std::string log = testing::internal::GetCapturedStderr();
  const size_t first = log.find("the TLS files in use stay");
  ASSERT_NE(first, log.npos) << log;
  EXPECT_EQ(log.find("the TLS files in use stay", first + 1), log.npos) << log;
  EXPECT_THAT(log, HasSubstr("is not the key of the certificate"));
}

TEST(WatchedTlsFiles, ContentsThatCannotBeUsedAreNotInUse) {
  TestCertificates certificates;
  const TlsFiles files = certificates.Trainer("one");
  const absl::Status full = absl::ResourceExhaustedError("no descriptors");
  const auto refuse = [&full](const TlsMaterial&) { return full; };
  EXPECT_EQ(WatchedTlsFiles::Start(files, refuse).status(), full);
}

}  // namespace
}  // namespace tributary
