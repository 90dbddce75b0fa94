#include "benchmarks/channel/far_end.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "common/machine/rate.h"

extern char** environ;

namespace tributary {
namespace {

// Two pipes to a child: [0] is read, [1] written.
struct Pipes {
  int to_child[2] = {-1, -1};
  int from_child[2] = {-1, -1};

  bool Open() {
    return pipe2(to_child, O_CLOEXEC) == 0 && pipe2(from_child, O_CLOEXEC) == 0;
  }
};

// The child's standard input and output are the pipes.
bool Spawn(std::vector<std::string> arguments, const Pipes& pipes, pid_t* pid) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes.to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.from_child[1],
                                   STDOUT_FILENO);
  const int error = posix_spawn(pid, "/proc/self/exe", &actions, nullptr,
                                argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FarEnd>> FarEnd::Start(
    std::vector<std::string> arguments) {
  std::unique_ptr<FarEnd> end(new FarEnd);
  Pipes pipes;
  if (!pipes.Open()) return absl::UnavailableError("no pipes");
  end->to_ = fdopen(pipes.to_child[1], "w");
  end->from_ = fdopen(pipes.from_child[0], "r");
  arguments.insert(arguments.begin(), "far-end");
  const bool spawned = Spawn(std::move(arguments), pipes, &end->pid_);
  close(pipes.to_child[0]);
  close(pipes.from_child[1]);
  unsigned port = 0;
  if (!spawned || std::fscanf(end->from_, "%u", &port) != 1) {
    return absl::UnavailableError("the far end did not start");
  }
  end->port_ = static_cast<uint16_t>(port);
  return end;
}

FarEnd::~FarEnd() {
  if (to_ != nullptr) std::fclose(to_);  // which ends it
  if (from_ != nullptr) std::fclose(from_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

absl::StatusOr<double> FarEnd::CpuSeconds() {
  double seconds = 0;
  std::fputs("\n", to_);
  std::fflush(to_);
  if (std::fscanf(from_, "%lf", &seconds) == 1) return seconds;
  return absl::UnavailableError("the far end has gone");
}

void ServeFarEnd(uint16_t port) {
  std::printf("%u\n", port);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
    std::printf("%.9f\n", ProcessCpuSeconds());
    std::fflush(stdout);
  }
}

}  // namespace tributary
