#include "sampler_server/access/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr char kA[] = R"({"jobs": {"a": ["*"]}})";
constexpr char kB[] = R"({"jobs": {"b": ["*"]}})";

class PolicyFileTest : public ::testing::Test {
 protected:
  ~PolicyFileTest() override { std::remove(path_.c_str()); }

  void Write(const std::string& text) { std::ofstream(path_) << text; }
  absl::Status Start() {
    file_ = std::make_shared<PolicyFile>(path_, std::make_shared<Strand>(node_),
                                         &metrics_);
    return file_->Start([this](std::shared_ptr<const AccessPolicy> policy) {
      policies_.push_back(std::move(policy));
    });
  }
  void RunFor(absl::Duration time) {
    bool over = false;
    world_.Schedule(-1, world_.now() + time, [&over] { over = true; });
    world_.RunUntil([&over] { return over; }, 2 * time);
  }
  bool Broken() const {
    return metrics_.Exposition().find("\ntributary_policy_broken 1\n") !=
           std::string::npos;
  }
  bool LatestLists(const std::string& job) const {
    return policies_.back()->MayRead(job, "g", {});
  }

  const std::string path_ = std::string(getenv("TEST_TMPDIR")) + "/p.json";
  SimScheduler world_{1};
  SimExecutor* const node_ = world_.AddNode("server");
  Metrics metrics_;
  std::shared_ptr<PolicyFile> file_;
  std::vector<std::shared_ptr<const AccessPolicy>> policies_;
};

TEST_F(PolicyFileTest, IsReadAgainWhenItChanges) {
  Write(kA);
  ASSERT_TRUE(Start().ok());
  ASSERT_EQ(policies_.size(), 1u);
  RunFor(absl::Seconds(5));
  EXPECT_EQ(policies_.size(), 1u);
  Write(kB);
  RunFor(absl::Milliseconds(1100));
  ASSERT_EQ(policies_.size(), 2u);
  EXPECT_TRUE(LatestLists("b"));
  EXPECT_FALSE(LatestLists("a"));
}

TEST_F(PolicyFileTest, ABrokenOneKeepsThePolicyBeforeAndShowsInAMetric) {
  Write(kA);
  ASSERT_TRUE(Start().ok());
  EXPECT_FALSE(Broken());
  Write("{");
  RunFor(absl::Seconds(3));
  EXPECT_EQ(policies_.size(), 1u);
  EXPECT_TRUE(Broken());
  std::remove(path_.c_str());
  RunFor(absl::Seconds(3));
  EXPECT_TRUE(Broken());
  Write(kA);  // as before
  RunFor(absl::Seconds(2));
  EXPECT_EQ(policies_.size(), 1u);
  EXPECT_FALSE(Broken());
  Write(kB);
  RunFor(absl::Seconds(2));
  EXPECT_TRUE(LatestLists("b"));
}

TEST_F(PolicyFileTest, OneThatCannotBeReadAtTheStartIsAnError) {
  EXPECT_THAT(Start().ToString(), HasSubstr("p.json"));
  Write("{}");
  EXPECT_EQ(Start().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(policies_.empty());
}

TEST_F(PolicyFileTest, AStoppedOneReadsNoMore) {
  Write(kA);
  ASSERT_TRUE(Start().ok());
  file_->Stop();
  Write(kB);
  RunFor(absl::Seconds(3));
  EXPECT_EQ(policies_.size(), 1u);
}

}  // namespace
}  // namespace tributary
