#include "common/runtime/usable_cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "common/runtime/cgroup_folders.h"

namespace tributary {
namespace {

// A made-up root folder with a tree of cgroups.
class UsableCoresTest : public ::testing::Test {
 protected:
  UsableCoresTest() { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  // Of a machine with 16 cores.
  int Cores() { return CoresWithinQuota(16, root_); }

  const std::string root_ = std::string(std::getenv("TEST_TMPDIR")) + "/cores";
};

TEST_F(UsableCoresTest, AllWithoutCgroups) { EXPECT_EQ(Cores(), 16); }

TEST_F(UsableCoresTest, AtLeastOne) {
  EXPECT_EQ(CoresWithinQuota(0, root_), 1);
}

// A container has a cgroup namespace, so its own group is the mount's folder.
TEST_F(UsableCoresTest, AContainerOfVersion2) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(Cores(), 16);
  Write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(Cores(), 4);
}

TEST_F(UsableCoresTest, PartsOfACoreCountAsOne) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(Cores(), 2);
  Write("/sys/fs/cgroup/cpu.max", "5000 100000\n");
  EXPECT_EQ(Cores(), 1);
  Write("/sys/fs/cgroup/cpu.max", "6400000 100000\n");  // more than there are
  EXPECT_EQ(Cores(), 16);
}

TEST_F(UsableCoresTest, TheSmallestOfAllAncestors) {
  Write("/proc/self/cgroup", "0::/kubepods/pod1/container\n");
  Write("/sys/fs/cgroup/kubepods/cpu.max", "800000 100000\n");
  Write("/sys/fs/cgroup/kubepods/pod1/cpu.max", "300000 100000\n");
  Write("/sys/fs/cgroup/kubepods/pod1/container/cpu.max", "max 100000\n");
  EXPECT_EQ(Cores(), 3);
  Write("/sys/fs/cgroup/kubepods/pod1/container/cpu.max", "50000 25000\n");
  EXPECT_EQ(Cores(), 2);
}

// A group outside the process's namespace is shown relative to it.
TEST_F(UsableCoresTest, PathsBeyondTheNamespace) {
  Write("/proc/self/cgroup", "0::/../../other\n");
  Write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  Write("/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(Cores(), 2);
}

TEST_F(UsableCoresTest, Version1) {
  Write("/proc/self/cgroup",
        "11:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Cores(), 16);
  // The paths of the host may not exist in the container.
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(Cores(), 3);
  Write("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "100000\n");
  Write("/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Cores(), 1);
}

// Version 2 is mounted beside the controllers of version 1.
TEST_F(UsableCoresTest, BothVersions) {
  Write("/proc/self/cgroup", "4:cpuset,cpu:/a\n0::/b\n");
  Write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "500000\n");
  Write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Cores(), 5);
}

TEST_F(UsableCoresTest, FilesThatSaySomethingElse) {
  Write("/proc/self/cgroup", "nonsense\n:\n0::/\n");
  for (const char* text : {"", "max", "100000", "a b", "0 100000", "1 0",
                           "-5 100000", "99999999999999999999 100000"}) {
    Write("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(Cores(), 16) << text;
  }
}

// A process that may run on one core only, as under taskset.
TEST(AffinityTest, ACoreOfThisMachine) {
  const pid_t child = fork();
  if (child == 0) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) _exit(10);
    int core = 0;
    while (!CPU_ISSET(core, &set)) ++core;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0) _exit(11);
    _exit(AllowedCores());
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(AffinityTest, NoMoreThanThisMachineHas) {
  EXPECT_GE(UsableCores(), 1);
  EXPECT_LE(UsableCores(), std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace tributary
