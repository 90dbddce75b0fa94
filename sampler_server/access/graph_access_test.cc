#include "sampler_server/access/graph_access.h"

#include <gtest/gtest.h>

#include <memory>

namespace tributary {
namespace {

std::shared_ptr<const AccessPolicy> Policy(const char* text) {
  return std::make_shared<const AccessPolicy>(
      *AccessPolicy::Parse(text, "p.json"));
}

const Identity kTrainerA{Role::kTrainer, "a"};

TEST(GraphAccess, WithoutAPolicyEveryJobReadsEveryGraph) {
  const GraphAccess access;
  EXPECT_TRUE(access.MayRead(kTrainerA, "a", "cora", {}));
  EXPECT_TRUE(access.Check({}, "b", "cora", {}).ok());
}

TEST(GraphAccess, TheCertificateCountsNotTheClaim) {
  GraphAccess access;
  access.Set(Policy(R"({"jobs": {"a": ["cora"], "b": ["mag"]}})"));
  EXPECT_TRUE(access.MayRead(kTrainerA, "b", "cora", {}));
  EXPECT_FALSE(access.MayRead(kTrainerA, "b", "mag", {}));
  EXPECT_TRUE(access.MayRead({}, "b", "mag", {}));  // in plain text
  EXPECT_FALSE(access.MayRead({}, "b", "cora", {}));
  EXPECT_TRUE(access.MayRead({}, "", "cora", {}));  // has named no job
}

TEST(GraphAccess, SamplersAndOperatorsReadAll) {
  GraphAccess access;
  access.Set(Policy(R"({"jobs": {}})"));
  EXPECT_TRUE(access.MayRead({Role::kSampler, "s"}, "", "cora", {}));
  EXPECT_TRUE(access.MayRead({Role::kOperator, "o"}, "b", "cora", {}));
  EXPECT_FALSE(access.MayRead(kTrainerA, "a", "cora", {}));
}

TEST(GraphAccess, ARefusalNamesJobGraphAndPolicy) {
  GraphAccess access;
  access.Set(Policy(R"({"jobs": {}})"));
  EXPECT_EQ(access.Check(kTrainerA, "", "cora", {}),
            absl::PermissionDeniedError(
                "job 'a' may not read graph cora@000000000000: the server's "
                "policy p.json does not list it"));
  access.Set(nullptr);
  EXPECT_TRUE(access.Check(kTrainerA, "", "cora", {}).ok());
}

}  // namespace
}  // namespace tributary
