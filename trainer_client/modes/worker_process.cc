#include "trainer_client/modes/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

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
  std::vector<std::string> folders;
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
  if (n > 0) {
    const std::string path(self, static_cast<size_t>(n));
    folders.push_back(path.substr(0, path.rfind('/')));
  }
  if (const char* path = std::getenv("PATH")) {
    for (absl::string_view folder : absl::StrSplit(path, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  for (const std::string& folder : folders) {
    std::string path = absl::StrCat(folder, "/", name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::NotFoundError(
      absl::StrCat("the program of sampling workers, ", name,
                   ", is neither beside the running program nor in PATH; set "
                   "MpDistSamplingWorkerOptions.worker_program"));
}

}  // namespace tributary
