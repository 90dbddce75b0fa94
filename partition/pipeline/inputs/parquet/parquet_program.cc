#include "partition/pipeline/inputs/parquet/parquet_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/process/describe_exit.h"
#include "common/process/find_program.h"
#include "common/text/status.h"

extern char** environ;

namespace tributary {
namespace {

constexpr char kProgram[] = "tributary-parquet";

// Starts the program with `output` as its standard output.
absl::StatusOr<pid_t> Spawn(const std::string& path,
                            std::vector<std::string> arguments, int output) {
  std::string name = kProgram;
  std::vector<char*> argv = {name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t pipe_signal;
  sigemptyset(&none);
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, path.c_str(), &actions, &attributes,
                                argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return absl::ErrnoToStatus(error, absl::StrCat("starting ", path));
}

}  // namespace

absl::StatusOr<ParquetProgram> ParquetProgram::Start(
    std::vector<std::string> arguments) {
  const std::optional<std::string> path = FindProgram(kProgram);
  if (!path.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Parquet files are read by the program ", kProgram,
        ", which is neither beside the running program nor in PATH; build it "
        "(./dev bazel build //cli:tributary-parquet), use the image "
        "tributary-tools, or write the files as .npy or csv"));
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "making a pipe");
  }
  UniqueFd output(ends[0]);
  const UniqueFd input(ends[1]);
  // For fewer switches between the processes; the default size will do, too.
  (void)fcntl(input.get(), F_SETPIPE_SZ, 1 << 20);
  ASSIGN_OR_RETURN(const pid_t pid,
                   Spawn(*path, std::move(arguments), input.get()));
  return ParquetProgram(pid, std::move(output));
}

ParquetProgram::ParquetProgram(ParquetProgram&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), output_(std::move(other.output_)) {}

ParquetProgram::~ParquetProgram() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  int wait_status = 0;
  (void)Wait(&wait_status);
}

absl::Status ParquetProgram::Wait(int* wait_status) {
  const pid_t pid = std::exchange(pid_, -1);
  while (waitpid(pid, wait_status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "waitpid");
  }
  return absl::OkStatus();
}

absl::Status ParquetProgram::EndedEarly() {
  if (pid_ < 0) return absl::InternalError("its output was read to the end");
  int wait_status = 0;
  RETURN_IF_ERROR(Wait(&wait_status));
  return absl::InternalError(absl::StrCat(
      kProgram, " ", DescribeExit(wait_status), " before all was read"));
}

absl::StatusOr<size_t> ParquetProgram::ReadSome(void* out, size_t bytes) {
  for (;;) {
    const ssize_t n = read(output_.get(), out, bytes);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) {
      return absl::ErrnoToStatus(errno,
                                 absl::StrCat("reading from ", kProgram));
    }
  }
}

absl::Status ParquetProgram::Read(void* out, size_t bytes) {
  auto* to = static_cast<char*>(out);
  while (bytes > 0) {
    ASSIGN_OR_RETURN(const size_t n, ReadSome(to, bytes));
    if (n == 0) return EndedEarly();
    to += n;
    bytes -= n;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ParquetProgram::ReadAll(size_t limit) {
  std::string text;
  for (;;) {
    const size_t before = text.size();
    text.resize(std::min(limit, before + (size_t{64} << 10)));
    ASSIGN_OR_RETURN(const size_t n,
                     ReadSome(text.data() + before, text.size() - before));
    text.resize(before + n);
    if (n == 0) return text;
  }
}

}  // namespace tributary
