#include "trainer_client/core/fleet/open_grant.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

const absl::Time kStart = absl::UnixEpoch();

TEST(OpenGrant, SilenceEndsWithANewSignAlone) {
  OpenGrant grant({7, 1}, 4096, false, kStart);
  grant.OnSigns(1, kStart);
  grant.OnSigns(1, kStart + absl::Seconds(3));
  EXPECT_EQ(grant.Silence(kStart + absl::Seconds(3)), absl::Seconds(3));
  grant.OnSigns(2, kStart + absl::Seconds(4));
  EXPECT_EQ(grant.Silence(kStart + absl::Seconds(5)), absl::Seconds(1));
  EXPECT_EQ(grant.Age(kStart + absl::Seconds(5)), absl::Seconds(5));
  grant.ResetSilence(kStart + absl::Seconds(9));
  EXPECT_EQ(grant.Silence(kStart + absl::Seconds(9)), absl::ZeroDuration());
}

TEST(OpenGrant, IsCancelledOnce) {
  OpenGrant grant({7, 1}, 4096, false, kStart);
  EXPECT_FALSE(grant.cancelled());
  EXPECT_TRUE(grant.Cancel(kStart));
  EXPECT_TRUE(grant.cancelled());
  EXPECT_FALSE(grant.Cancel(kStart + absl::Seconds(1)));
}

TEST(OpenGrant, SignsOfLifeAreNoAnswerToACancel) {
  OpenGrant grant({7, 1}, 4096, false, kStart);
  EXPECT_EQ(grant.CancelledFor(kStart + absl::Seconds(5)),
            absl::ZeroDuration());
  grant.Cancel(kStart + absl::Seconds(1));
  grant.OnSigns(2, kStart + absl::Seconds(4));
  EXPECT_EQ(grant.CancelledFor(kStart + absl::Seconds(5)), absl::Seconds(4));
  grant.ResetSilence(kStart + absl::Seconds(6));
  EXPECT_EQ(grant.CancelledFor(kStart + absl::Seconds(8)), absl::Seconds(2));
}

}  // namespace
}  // namespace tributary
