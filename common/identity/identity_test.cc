#include "common/identity/identity.h"

#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

TEST(Identity, IsParsedFromItsUriAndBack) {
  for (const auto& [uri, role, name] :
       {std::tuple{"tributary://sampler/fleet-a", Role::kSampler, "fleet-a"},
        {"tributary://trainer/team.job_1~+@x", Role::kTrainer,
         "team.job_1~+@x"},
        {"tributary://operator/ann", Role::kOperator, "ann"}}) {
    const auto identity = ParseIdentity(uri);
    ASSERT_TRUE(identity.ok()) << identity.status();
    EXPECT_EQ(identity->role, role);
    EXPECT_EQ(identity->name, name);
    EXPECT_EQ(identity->ToUri(), uri);
  }
  EXPECT_EQ(Identity{}.ToString(), "anonymous");
}

TEST(Identity, RefusesAnythingElse) {
  for (const std::string& uri :
       {std::string(""), std::string("tributary://"),
        std::string("tributary://sampler"), std::string("tributary://sampler/"),
        std::string("tributary://trainer/a/b"),
        std::string("tributary://anonymous/a"),
        std::string("tributary://Sampler/a"), std::string("spiffe://sampler/a"),
        std::string("tributary://trainer/a\nb"),
        std::string("tributary://trainer/a\0b", 23),
        "tributary://trainer/" + std::string(257, 'a')}) {
    EXPECT_EQ(ParseIdentity(uri).status().code(),
              absl::StatusCode::kInvalidArgument)
        << uri;
  }
}

TEST(Identity, OfACertificateIsItsOneUri) {
  const auto identity = IdentityOfCertificate(
      {"spiffe://cluster/ns/a", "tributary://trainer/cora"});
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(*identity, (Identity{Role::kTrainer, "cora"}));
  EXPECT_EQ(IdentityOfCertificate({}).status().code(),
            absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(
      IdentityOfCertificate({"tributary://trainer/a", "tributary://sampler/a"})
          .status()
          .code(),
      absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(IdentityOfCertificate({"tributary://king/a"}).status().code(),
            absl::StatusCode::kUnauthenticated);
}

}  // namespace
}  // namespace tributary
