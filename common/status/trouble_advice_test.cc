#include "common/status/trouble_advice.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(TroubleAdviceTest, EachCodeIsThereOnceWithAdvice) {
  std::set<std::string> codes;
  Severity before = Severity::kError;
  for (const TroubleKind& kind : AllTroubles()) {
    EXPECT_TRUE(codes.insert(std::string(kind.code)).second) << kind.code;
    EXPECT_GT(kind.advice.size(), 40u) << kind.code;
    EXPECT_EQ(kind.advice.back(), '.') << kind.code;
    EXPECT_GE(kind.severity, before) << kind.code << ": the worst come first";
    before = kind.severity;
  }
}

TEST(TroubleAdviceTest, ACodeOfAnotherReleaseIsLast) {
  EXPECT_EQ(TroubleRank("no_owner"), 0u);
  EXPECT_EQ(TroubleRank("made_up"), AllTroubles().size());
  EXPECT_EQ(TroubleOf("made_up").severity, Severity::kWarning);
  EXPECT_NE(TroubleOf("made_up").advice, "");
}

}  // namespace
}  // namespace tributary
