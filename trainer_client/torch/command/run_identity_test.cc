#include "trainer_client/torch/command/run_identity.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tributary {
namespace {

using Words = std::vector<std::string>;

std::string IdOf(const std::string& given, const Words& words,
                 const std::map<std::string, std::string>& variables = {}) {
  const auto id = RunIdOf(given, words, [&](const char* name) {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
  return id.ok() ? *id : std::string(id.status().message());
}

TEST(RunIdentityTest, TheMachinesOfACommandAreOneRun) {
  const std::string id =
      IdOf("", {"/a/train", "--epochs", "3", "--node-rank", "0", "--lr=1"});
  EXPECT_EQ(id.substr(0, 8), "command-");
  EXPECT_EQ(id.size(), 24u);
  EXPECT_EQ(IdOf("", {"train", "--node-rank", "1", "--epochs", "3", "--lr=1"}),
            id);
  EXPECT_EQ(IdOf("", {"train", "--epochs", "3", "--node-rank=1", "--lr=1"}),
            id);
  EXPECT_NE(IdOf("", {"train", "--epochs", "4", "--node-rank", "1", "--lr=1"}),
            id);
  // Words are not joined.
  EXPECT_NE(IdOf("", {"train", "ab", "c"}), IdOf("", {"train", "a", "bc"}));
}

TEST(RunIdentityTest, AGivenIdIsTaken) {
  EXPECT_EQ(IdOf("job-7", {"train", "--epochs", "3"}), "job-7");
  EXPECT_EQ(IdOf("job-7", {"train"}, {{"TORCHELASTIC_RUN_ID", "other"}}),
            "job-7");
}

TEST(RunIdentityTest, TorchrunsIdIsTakenUnlessItIsTheDefault) {
  EXPECT_EQ(IdOf("", {"train"}, {{"TORCHELASTIC_RUN_ID", "r1"}}), "r1");
  for (const char* none : {"none", ""}) {
    EXPECT_EQ(IdOf("", {"train"}, {{"TORCHELASTIC_RUN_ID", none}}),
              IdOf("", {"train"}));
  }
}

TEST(RunIdentityTest, IdsThatNoMessageCanShowAreRefused) {
  for (const std::string bad : {"two words", "line\n", "\xc3\xa9"}) {
    EXPECT_NE(IdOf(bad, {"train"}).find("--run-id has"), std::string::npos);
  }
  EXPECT_EQ(IdOf(std::string(253, 'a'), {"train"}), std::string(253, 'a'));
  EXPECT_NE(IdOf(std::string(254, 'a'), {"train"}).find("254 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
