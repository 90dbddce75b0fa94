#include "common/process/memory_limit.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tributary {
namespace {

// A fake root folder in a temporary folder.
class MemoryLimitTest : public ::testing::Test {
 protected:
  MemoryLimitTest() { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  MemoryLimit Read() { return ReadMemoryLimit(root_).value(); }

  const std::string root_ = std::string(std::getenv("TEST_TMPDIR")) + "/root";
};

constexpr char kMeminfo[] =
    "MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  400 kB\n";

TEST_F(MemoryLimitTest, TheMachineAlone) {
  Write("/proc/meminfo", kMeminfo);
  EXPECT_EQ(Read().total, 1024000);
  EXPECT_EQ(Read().free, 409600);
  EXPECT_EQ(Read().source, "the machine");
}

TEST_F(MemoryLimitTest, AnAncestorsLimitOfVersion2) {
  Write("/proc/meminfo", kMeminfo);
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/memory.max", "500000\n");
  Write("/sys/fs/cgroup/a/memory.current", "300000\n");
  Write("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 100000\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(Read().total, 500000);
  EXPECT_EQ(Read().free, 300000);  // 500000 - (300000 - 100000)
  EXPECT_EQ(Read().source, "the cgroup");
}

TEST_F(MemoryLimitTest, Version1AndALimitAboveTheMachine) {
  Write("/proc/meminfo", kMeminfo);
  Write("/proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n0::/\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(Read().total, 1024000);
  Write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "200000");
  Write("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "250000");
  EXPECT_EQ(Read().total, 200000);
  EXPECT_EQ(Read().free, 0);
}

TEST_F(MemoryLimitTest, NoMeminfo) {
  EXPECT_EQ(ReadMemoryLimit(root_).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(ThisMachineTest, HasMemory) {
  const auto limit = ReadMemoryLimit();
  ASSERT_TRUE(limit.ok()) << limit.status();
  EXPECT_GT(limit->total, 0);
  EXPECT_LE(limit->free, limit->total);
}

}  // namespace
}  // namespace tributary
