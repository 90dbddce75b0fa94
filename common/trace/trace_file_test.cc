#include "common/trace/trace_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::HasSubstr;

class TraceFileTest : public testing::Test {
 protected:
  TraceFileTest()
      : path_(testing::TempDir() + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  const std::string path_;
};

TEST_F(TraceFileTest, AppendsLinesToItsOwnersFile) {
  auto file = TraceFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->Append("one");
  (*file)->Append("two");
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600);
  file = TraceFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->Append("three");
  EXPECT_EQ(Text(), "one\ntwo\nthree\n");
}

TEST_F(TraceFileTest, LinesOfSeveralWritersStayWhole) {
  constexpr int kWriters = 4, kLines = 200;
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([this, i] {
      const auto file = TraceFile::Open(path_);
      ASSERT_TRUE(file.ok()) << file.status();
      for (int n = 0; n < kLines; ++n) {
        (*file)->Append(std::string(5000, static_cast<char>('a' + i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> lines = absl::StrSplit(Text(), '\n');
  ASSERT_EQ(lines.size(), kWriters * kLines + 1);
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  for (const std::string& line : lines) {
    EXPECT_EQ(line, std::string(5000, line[0]));
  }
}

TEST_F(TraceFileTest, StopsOnceAtItsLimit) {
  auto file = TraceFile::Open(path_, 10);
  ASSERT_TRUE(file.ok()) << file.status();
  testing::internal::CaptureStderr();
  (*file)->Append("four");
  (*file)->Append("five");  // 10 bytes with both line ends
  (*file)->Append("");
  (*file)->Append("");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Text(), "four\nfive\n");
  EXPECT_THAT(said, HasSubstr("no more traces are written to " + path_ +
                              ": it has 10 of at most 10 bytes"));
  EXPECT_EQ(said.find("no more"), said.rfind("no more"));
}

TEST_F(TraceFileTest, StopsAtAnError) {
  auto file = TraceFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 3;
  testing::internal::CaptureStderr();  // before the limit: it is a file
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  (*file)->Append("ab");
  (*file)->Append("ab");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  (*file)->Append("ab");
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(Text(), "ab\n");
}

TEST_F(TraceFileTest, RefusesWhatIsNoFile) {
  EXPECT_THAT(TraceFile::Open(path_ + "/none/x").status().ToString(),
              HasSubstr(path_));
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(TraceFile::Open(path_).ok());  // and does not wait
  EXPECT_THAT(TraceFile::Open("/dev/null").status().ToString(),
              HasSubstr("/dev/null is no regular file"));
  EXPECT_FALSE(TraceFile::Open(testing::TempDir()).ok());
}

}  // namespace
}  // namespace tributary
