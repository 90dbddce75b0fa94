#include "trainer_client/core/window/credit_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CreditInputs, OfNodesAreNumbersIdsAndTimes) {
  LoaderSession session = MakeLoaderState().session;
  const EpochOrder order(session.order, Cursor{});
  CreditInputs inputs = MakeCreditInputs(session, order, 3);
  EXPECT_THAT(inputs.numbers, ElementsAre(6, 7));
  EXPECT_THAT(inputs.original_ids, ElementsAre(1006, 1007));
  EXPECT_THAT(inputs.times, IsEmpty());
  EXPECT_EQ(inputs.link_credit, nullptr);

  session.input_times = std::make_shared<const std::vector<int64_t>>(
      std::vector<int64_t>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  inputs = MakeCreditInputs(session, order, 3);
  EXPECT_THAT(inputs.times, ElementsAre(60, 70));
}

}  // namespace
}  // namespace tributary
