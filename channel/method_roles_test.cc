#include "channel/method_roles.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tributary {
namespace {

TEST(MethodRoles, EachRoleOpensItsOwnStreams) {
  const auto kLeaf = StreamMethod::kLeaf, kBatches = StreamMethod::kBatches,
             kData = StreamMethod::kData, kControl = StreamMethod::kControl;
  const std::set<StreamMethod> all = {kLeaf, kBatches, kData, kControl};
  for (const auto& [role, allowed] :
       {std::pair{Role::kAnonymous, all},
        {Role::kSampler, {kLeaf, kControl}},
        {Role::kTrainer, {kBatches, kData, kControl}},
        {Role::kOperator, {kBatches, kData, kControl}}}) {
    const Identity identity{role, role == Role::kAnonymous ? "" : "x"};
    for (const StreamMethod method : all) {
      const absl::Status status = CheckMethodAllowed(method, identity);
      EXPECT_EQ(status.code(), allowed.contains(method)
                                   ? absl::StatusCode::kOk
                                   : absl::StatusCode::kPermissionDenied)
          << identity.ToString() << " " << static_cast<int>(method);
    }
  }
}

TEST(MethodRoles, TheRefusalSaysWhoWhatAndWhatIsAllowed) {
  const std::string text(
      CheckMethodAllowed(StreamMethod::kLeaf, {Role::kTrainer, "cora"})
          .message());
  EXPECT_EQ(text,
            "trainer/cora may not open a stream of Leaf; allowed: samplers");
}

}  // namespace
}  // namespace tributary
