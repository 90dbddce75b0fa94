#include "partition/schema/type_path.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

TEST(TypePathTest, KnownPaths) {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"paper", "paper"},
      {"author,writes,paper", "author__writes__paper"},
      {"_N", "_N"},
      {"two words", "two words"},
      {"número", "número"},
      {"/film/film.directed_by", ",2ffilm,2ffilm,2edirected_by"},
      {".", ",2e"},
      {"..", ",2e,2e"},
      {".hidden", ",2ehidden"},
      {"paper.ranks", "paper,2eranks"},
      {"2f", "2f"},
      {"_", ",5f"},
      {"a_,r,b", "a,5f__r__b"},
      {"a,_r,b", "a___r__b"},
      {"entity,/a/b./c/d,entity", "entity__,2fa,2fb,2e,2fc,2fd__entity"},
  };
  for (const auto& [type, path] : known) {
    EXPECT_EQ(TypePath(type), path);
    const auto back = TypeOfPath(path);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, type);
  }
}

TEST(TypePathTest, LongNamesAreCutIntoFolders) {
  EXPECT_EQ(TypePath(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(TypePath(std::string(255, 'a')),
            absl::StrCat(std::string(198, 'a'), ",+/", std::string(57, 'a')));
  // "é" has two bytes: the cut is before the 99th, at byte 197 of 255.
  std::string name = "a";
  for (int i = 0; i < 127; ++i) name += "é";
  EXPECT_EQ(TypePath(name),
            absl::StrCat(name.substr(0, 197), ",+/", name.substr(197)));
  EXPECT_EQ(*TypeOfPath(TypePath(name)), name);
}

TEST(TypePathTest, OtherPathsAreOfNoType) {
  for (const char* path :
       {"", ".", "..", "a/b", ",2F", ",2", ",", "a.b", "a__b", "a__b__c__d",
        "a_", "a,5fb", "____", "a,+", "a,+/b", "a\n", "\xff", ",61", "/a"}) {
    EXPECT_FALSE(TypeOfPath(path).ok()) << path;
  }
}

// Returns a name of a type made of the characters that paths and escapes have a
// meaning for.
std::string RandomName(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {
      "/", ".", "_", "a", "2f", "2e", "5f", "+", "e", "é", " ", "f__"};
  for (;;) {
    std::string name;
    const bool is_long = random() % 16 == 0;
    const size_t pieces = 1 + random() % (is_long ? 250 : 5);
    for (size_t i = 0; i < pieces; ++i) {
      name += kPieces[random() % kPieces.size()];
    }
    if (CheckTypeName(name).ok()) return name;
  }
}

std::string RandomType(std::mt19937& random) {
  std::string type = RandomName(random);
  if (random() % 2 == 0) return type;
  return absl::StrCat(type, ",", RandomName(random), ",", RandomName(random));
}

TEST(TypePathTest, DifferentTypesHaveDifferentPathsThatLeadBack) {
  std::mt19937 random(7);
  std::map<std::string, std::string> types;
  for (int i = 0; i < 20000; ++i) {
    const std::string type = RandomType(random);
    const std::string path = TypePath(type);
    const auto at = types.emplace(path, type).first;
    ASSERT_EQ(at->second, type) << path;
    const auto back = TypeOfPath(path);
    ASSERT_TRUE(back.ok()) << type << ": " << back.status();
    ASSERT_EQ(*back, type);
    for (const absl::string_view part : absl::StrSplit(path, '/')) {
      ASSERT_FALSE(part.empty() || part[0] == '.') << path;
      ASSERT_LE(part.size(), kMaxTypePathPart);
    }
    ASSERT_FALSE(absl::StrContains(path, '.')) << path;
  }
  EXPECT_GT(types.size(), 10000u);
}

}  // namespace
}  // namespace tributary
