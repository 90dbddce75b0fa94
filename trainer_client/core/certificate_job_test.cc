#include "trainer_client/core/certificate_job.h"

#include "common/identity/testing/test_certificates.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(CertificateJob, IsTheWorkerKeyInPlainText) {
  RemoteDistSamplingWorkerOptions options;
  EXPECT_EQ(JobOf(options).value(), "default");
  options.worker_key = "cora";
  EXPECT_EQ(JobOf(options).value(), "cora");
}

TEST(CertificateJob, IsTheCertificates) {
  TestCertificates certificates;
  RemoteDistSamplingWorkerOptions options;
  options.tls = certificates.Trainer("cora");
  EXPECT_EQ(JobOf(options).value(), "cora");
  options.worker_key = "cora";
  EXPECT_EQ(JobOf(options).value(), "cora");
  options.worker_key = "other";
  EXPECT_EQ(JobOf(options).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST(CertificateJob, IsTheWorkerKeyForOtherRoles) {
  TestCertificates certificates;
  RemoteDistSamplingWorkerOptions options;
  options.tls = certificates.Operator("ann");
  options.worker_key = "cora";
  EXPECT_EQ(JobOf(options).value(), "cora");
}

TEST(CertificateJob, NeedsACertificateThatNamesSomebody) {
  TestCertificates certificates;
  RemoteDistSamplingWorkerOptions options;
  options.tls = certificates.WithoutUri();
  EXPECT_EQ(JobOf(options).status().code(), absl::StatusCode::kInvalidArgument);
  options.tls.cert = "/no/such.pem";
  EXPECT_EQ(JobOf(options).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
