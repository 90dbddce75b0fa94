#include "cli/fleet/tls_checks.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::HasSubstr;
using Level = Check::Level;

Check With(absl::Duration left) {
  const absl::Time end = absl::FromUnixSeconds(1800000000);  // 2027-01-15
  return CheckCertificate("own certificate", {{Role::kOperator, "ann"}, end},
                          end - left);
}

TEST(TlsChecks, ACertificateIsWellUntilItsLastWeek) {
  EXPECT_EQ(With(absl::Hours(8 * 24)).ToString(),
            "ok    own certificate: operator/ann, ends on 2027-01-15");
  EXPECT_EQ(With(absl::Hours(7 * 24)).level, Level::kWarn);
  EXPECT_THAT(With(absl::Hours(1)).ToString(), HasSubstr("ends soon, on"));
  EXPECT_EQ(With(absl::ZeroDuration()).level, Level::kFail);
  EXPECT_THAT(With(-absl::Hours(1)).ToString(), HasSubstr("has ended on"));
}

TEST(TlsChecks, PlainTextIsSaidOnce) {
  const ServerAnswer answer{
      {"127.0.0.1", 1}, std::vector<ServerReport>(1), std::nullopt};
  const auto checks = CheckTls({}, {answer, answer}, absl::Seconds(1));
  ASSERT_EQ(checks.size(), 1);
  EXPECT_EQ(checks[0].level, Level::kOk);
  EXPECT_TRUE(CheckTls({}, {}, absl::Seconds(1)).empty());
}

TEST(TlsChecks, ACertificateThatIsNotThereFails) {
  const auto checks =
      CheckTls({"/no/ca", "/no/cert", "/no/key"}, {}, absl::Seconds(1));
  ASSERT_EQ(checks.size(), 1);
  EXPECT_EQ(checks[0].level, Level::kFail);
  EXPECT_THAT(checks[0].detail, HasSubstr("/no/ca"));
}

}  // namespace
}  // namespace tributary
