#include "sampler_server/streams/call_rates.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

int Admitted(CallRates& rates, const std::string& caller, absl::Time now) {
  int admitted = 0;
  while (admitted < 1'000'000 && rates.Admit(caller, now)) ++admitted;
  return admitted;
}

TEST(CallRates, EachCallerHasABurstAndThenItsRate) {
  CallRates rates;
  const absl::Time start = absl::UnixEpoch();
  EXPECT_EQ(Admitted(rates, "a", start), 4000);
  EXPECT_EQ(Admitted(rates, "b", start), 4000);
  EXPECT_EQ(Admitted(rates, "a", start + absl::Milliseconds(500)), 500);
  EXPECT_EQ(Admitted(rates, "a", start + absl::Hours(1)), 4000);
}

TEST(CallRates, ManyCallersAreForgottenAndNoneGainsByIt) {
  CallRates rates;
  const absl::Time start = absl::UnixEpoch();
  EXPECT_EQ(Admitted(rates, "greedy", start), 4000);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_TRUE(rates.Admit(absl::StrCat("caller", i), start));
  }
  EXPECT_FALSE(rates.Admit("greedy", start));
}

}  // namespace
}  // namespace tributary
