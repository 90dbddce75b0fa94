#include "trainer_client/modes/worker_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "common/process/describe_exit.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(WorkerProcessTest, FindsAProgramByPathOrName) {
  EXPECT_EQ(*FindWorkerProgram("some/where"), "some/where");
  setenv("PATH", "/nowhere:/bin", 1);
  EXPECT_EQ(*FindWorkerProgram("sh"), "/bin/sh");
  const auto missing = FindWorkerProgram("no-such-program");
  EXPECT_TRUE(absl::IsNotFound(missing.status())) << missing.status();
}

// What the program writes to descriptor 3 arrives at the door's other end.
TEST(WorkerProcessTest, InheritsTheDoorAndLeadsAProcessGroup) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto pid = SpawnWorkerProcess(
      "/bin/sh", {"-c", "cut -d' ' -f5 /proc/$$/stat >&3; exit 7"}, ends[1]);
  ASSERT_TRUE(pid.ok()) << pid.status();
  close(ends[1]);
  std::string group;
  char c = 0;
  while (read(ends[0], &c, 1) == 1 && c != '\n') group += c;
  close(ends[0]);
  EXPECT_EQ(group, std::to_string(*pid));
  int status = 0;
  ASSERT_EQ(waitpid(*pid, &status, 0), *pid);
  EXPECT_EQ(DescribeExit(status), "ended with exit code 7");
}

TEST(WorkerProcessTest, NamesTheSignalThatEndedAProcess) {
  const auto pid = SpawnWorkerProcess("/bin/sh", {"-c", "kill -9 $$"}, 2);
  ASSERT_TRUE(pid.ok()) << pid.status();
  int status = 0;
  ASSERT_EQ(waitpid(*pid, &status, 0), *pid);
  EXPECT_EQ(DescribeExit(status), "was ended by signal 9 (SIGKILL)");
}

TEST(WorkerProcessTest, AProgramThatIsMissingIsAnError) {
  const auto pid = SpawnWorkerProcess("/no/such/program", {}, 2);
  EXPECT_TRUE(absl::IsNotFound(pid.status())) << pid.status();
}

}  // namespace
}  // namespace tributary
