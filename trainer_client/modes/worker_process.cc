#include "trainer_client/modes/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/process/find_program.h"

extern char** environ;

namespace tributary {
namespace {

// The actions and attributes of posix_spawn for a worker.
class SpawnSettings {
 public:
  explicit SpawnSettings(int door) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    // Stdout goes to stderr: a worker must not print into the trainer's output.
    posix_spawn_file_actions_adddup2(&actions_, 2, 1);
    posix_spawn_file_actions_adddup2(&actions_, door, kWorkerDoorFd);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF |
                                               POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

absl::StatusOr<pid_t> SpawnWorkerProcess(const std::string& program,
                                         std::vector<std::string> arguments,
                                         int door) {
  const SpawnSettings settings(door);
  std::string name = program;
  std::vector<char*> argv = {name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), settings.actions(),
                                settings.attributes(), argv.data(), environ);
  if (error == 0) return pid;
  return absl::ErrnoToStatus(error, absl::StrCat("starting ", program));
}

absl::StatusOr<std::string> FindWorkerProgram(const std::string& program) {
  if (absl::StrContains(program, '/')) return program;
  const std::string name = program.empty() ? "tributary" : program;
  if (auto path = FindProgram(name)) return *std::move(path);
  return absl::NotFoundError(
      absl::StrCat("the program of sampling workers, ", name,
                   ", is neither beside the running program nor in PATH; set "
                   "MpDistSamplingWorkerOptions.worker_program"));
}

}  // namespace tributary
