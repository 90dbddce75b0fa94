#include "trainer_client/core/session/graph_votes.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

ServerDescription Of(const char* content, std::vector<const char*> holds = {}) {
  ServerDescription description;
  description.graph_name = "g";
  description.content_digest = Sha256Of(content);
  for (const char* held : holds) {
    description.contents.push_back(Sha256Of(held));
  }
  return description;
}

class GraphVotesTest : public testing::Test {
 protected:
  void Set(int server, const ServerDescription& description) {
    votes_.Set({"s" + std::to_string(server), 1}, description);
  }
  // "": more are to be heard; "?": undecided.
  std::string Chosen(bool all_heard) const {
    const auto chosen = votes_.Choose(all_heard);
    if (!chosen.ok()) return "?";
    for (const char* content : {"old", "new", "lie"}) {
      if (*chosen == Sha256Of(content)) return content;
    }
    return "";
  }
  GraphVotes votes_;
};

TEST_F(GraphVotesTest, TwoDecideOrAllThatCanBeHeard) {
  EXPECT_EQ(Chosen(true), "");
  Set(1, Of("old"));
  EXPECT_EQ(Chosen(false), "");
  EXPECT_EQ(Chosen(true), "old");
  Set(2, Of("lie"));
  EXPECT_EQ(Chosen(false), "");
  EXPECT_EQ(Chosen(true), "?");
  Set(3, Of("old"));
  EXPECT_EQ(Chosen(false), "old");
  votes_.Erase({"s3", 1});
  EXPECT_EQ(Chosen(false), "");
}

// While servers follow a new version one after the other.
TEST_F(GraphVotesTest, AVersionThatTwoHoldIsChosen) {
  Set(1, Of("new", {"old", "new"}));
  Set(2, Of("old", {"old"}));
  EXPECT_EQ(Chosen(true), "old");
  Set(3, Of("new", {"old", "new"}));
  EXPECT_EQ(Chosen(true), "new");
  Set(4, Of("old", {"old"}));
  EXPECT_EQ(Chosen(false), "");    // two name each
  EXPECT_EQ(Chosen(true), "old");  // which all hold
}

}  // namespace
}  // namespace tributary
