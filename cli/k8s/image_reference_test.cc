#include "cli/k8s/image_reference.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

std::string Digest(size_t digits = 64) { return std::string(digits, 'a'); }

TEST(IsImageReference, TakesWhatRegistriesTake) {
  for (const std::string& text :
       {std::string("tributary-sampler:0.1.0"),
        std::string("registry.example/tributary-sampler:0.1.0"),
        std::string("registry.example:5000/a/b_c/d__e/f--g/h.i:_x.Y-z"),
        std::string("localhost/a:1"), std::string("localhost:5000/a:1"),
        std::string("Registry.Example/a:1"), std::string("[::1]:5000/a:1"),
        std::string("[fd00::1]/a:1"), "a:" + std::string(128, 'x'),
        "a/" + std::string(253, 'x') + ":1", "r.example/a@sha256:" + Digest(),
        "r.example:1/a@sha256:" + Digest(), "r.example/a:1@sha256:" + Digest(),
        "a@sha512:" + Digest(128),
        // An organisation may have such a name, but no image.
        std::string("sha256/a:1")}) {
    EXPECT_TRUE(IsImageReference(text)) << text;
  }
}

TEST(IsImageReference, RefusesWhatNamesNoImage) {
  for (const std::string& text :
       {std::string(""), std::string(":1"), std::string("@sha256:" + Digest()),
        // no tag
        std::string("a"), std::string("registry.example/tributary-sampler"),
        std::string("registry.example:5000/a"), std::string("a/b:"),
        std::string("a@"),
        // a digest alone
        "sha256:" + Digest(), "sha512:" + Digest(128), Digest(),
        // upper case
        std::string("registry.example/Tributary:1"), std::string("Org/a:1"),
        std::string("A:1"),
        // repositories
        std::string("/a:1"), std::string("a//b:1"), std::string("a/:1"),
        std::string("-a:1"), std::string("a-:1"), std::string("a..b:1"),
        std::string("a___b:1"), std::string("a._b:1"), std::string("a b:1"),
        std::string("https://r.example/a:1"), std::string("r.example/:1"),
        "a/" + std::string(254, 'x') + ":1",
        // registries
        std::string("r.example:/a:1"), std::string("r.example:x/a:1"),
        std::string("r.example:123456/a:1"), std::string("-r.example/a:1"),
        std::string("r..example/a:1"), std::string("[::1/a:1"),
        std::string("[]/a:1"), std::string("[::g]:1/a:1"),
        // tags and digests
        std::string("a:-1"), std::string("a:.1"), std::string("a:1+2"),
        "a:" + std::string(129, 'x'), "a@sha256:" + Digest(63),
        "a@sha256:" + Digest(65), "a@sha256:" + std::string(64, 'A'),
        "a@sha256:" + std::string(64, 'g'), "a@sha512:" + Digest(64),
        "a@md5:" + Digest(32), absl::StrCat("a@sha256:", Digest(), ":1"),
        "a@@sha256:" + Digest()}) {
    EXPECT_FALSE(IsImageReference(text)) << text;
  }
}

}  // namespace
}  // namespace tributary
