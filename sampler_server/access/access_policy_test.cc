#include "sampler_server/access/access_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// The digest 1f2e0000...
Sha256Digest Version() {
  Sha256Digest digest{};
  digest[0] = 0x1f;
  digest[1] = 0x2e;
  return digest;
}

bool MayRead(const AccessPolicy& policy, const std::string& job,
             const std::string& graph) {
  return policy.MayRead(job, graph, Version());
}

TEST(AccessPolicy, AJobReadsTheGraphsOfItsList) {
  const auto policy = AccessPolicy::Parse(
      R"({"jobs": {"a": ["cora", "papers@1f2e", "mag@00"], "all": ["*"],
                   "none": [], "*": ["public"]}})",
      "p.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_TRUE(MayRead(*policy, "a", "cora"));
  EXPECT_TRUE(MayRead(*policy, "a", "papers"));
  EXPECT_FALSE(MayRead(*policy, "a", "mag"));     // another version
  EXPECT_FALSE(MayRead(*policy, "a", "public"));  // it has its own list
  EXPECT_TRUE(MayRead(*policy, "all", "anything"));
  EXPECT_FALSE(MayRead(*policy, "none", "public"));
  EXPECT_TRUE(MayRead(*policy, "another", "public"));
  EXPECT_FALSE(MayRead(*policy, "another", "cora"));
  EXPECT_EQ(policy->where(), "p.json");
}

TEST(AccessPolicy, AJobThatIsNotListedReadsNothingWithoutAStar) {
  const auto policy = AccessPolicy::Parse(R"({"jobs": {}})", "p.json");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_FALSE(MayRead(*policy, "a", "cora"));
  EXPECT_FALSE(MayRead(*policy, "*", "cora"));
}

TEST(AccessPolicy, SaysWhatIsWrongWhereAndWhatIsAllowed) {
  const std::string deep(100, '[');
  const std::pair<std::string, std::string> cases[] = {
      {"", " line 1: this is no JSON here"},
      {"[]", ": it is no object"},
      {"{", " line 1: this is no JSON here"},
      {"{}", ": there is no key jobs"},
      {deep + std::string(100, ']'), " nests deeper than 16 levels"},
      {R"({"jobs": {"a": )" + deep + std::string(100, ']') + "}}",
       " nests deeper than 16 levels"},
      {R"({"jobs": []})", ": jobs is no object; allowed: {\"jobs\": {"},
      {R"({"jobs": {}, "job": {}})",
       ": there is no key \"job\"; allowed: jobs"},
      {R"({"jobs": {"a": [], "a": []}})",
       ": the key \"a\" is twice in one object"},
      {R"({"jobs": {"": []}})", ": a job's name of 0 bytes; allowed: 1 to 256"},
      {R"({"jobs": {"a": "cora"}})", ": job 'a': allowed is a list of at most"},
      {R"({"jobs": {"a": [7]}})", ": job 'a': graph 7 is no text; allowed: "},
      {R"({"jobs": {"a": [""]}})", ": job 'a': graph ''; allowed: NAME"},
      {R"({"jobs": {"a": ["cora*"]}})", ": job 'a': graph 'cora*'; allowed: "},
      {R"({"jobs": {"a": ["x@XY"]}})", ": job 'a': graph 'x@XY'; allowed: "},
      {std::string(AccessPolicy::kMaxBytes + 1, ' '),
       ": it has 1048577 bytes; allowed: 1048576"},
  };
  for (const auto& [text, problem] : cases) {
    const auto policy = AccessPolicy::Parse(text, "/etc/p.json");
    EXPECT_EQ(policy.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string message(policy.status().message());
    EXPECT_THAT(message, HasSubstr("policy /etc/p.json" + problem)) << text;
  }
}

TEST(AccessPolicy, HasAnEnd) {
  std::string graphs = "\"g0\"";
  for (size_t i = 1; i <= AccessPolicy::kMaxGraphsPerJob; ++i) {
    absl::StrAppend(&graphs, ", \"g", i, "\"");
  }
  EXPECT_FALSE(
      AccessPolicy::Parse("{\"jobs\": {\"a\": [" + graphs + "]}}", "p").ok());
  std::string jobs = "\"j0\": []";
  for (size_t i = 1; i <= AccessPolicy::kMaxJobs; ++i) {
    absl::StrAppend(&jobs, ", \"j", i, "\": []");
  }
  EXPECT_THAT(std::string(AccessPolicy::Parse("{\"jobs\": {" + jobs + "}}", "p")
                              .status()
                              .message()),
              HasSubstr("4097 jobs; allowed: 4096"));
}

}  // namespace
}  // namespace tributary
