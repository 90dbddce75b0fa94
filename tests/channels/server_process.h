// A `tributary serve` process for a test.
#ifndef TRIBUTARY_TESTS_CHANNELS_SERVER_PROCESS_H_
#define TRIBUTARY_TESTS_CHANNELS_SERVER_PROCESS_H_

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/unique_fd.h"

extern char** environ;

namespace tributary {

// Starts the process in the constructor and kills it in the destructor, also if
// it is frozen. Call ReadAddress to wait until it serves. Not thread-safe.
class ServerProcess {
 public:
  ServerProcess(const std::string& program, const std::string& graph) {
    std::vector<std::string> words = {
        program,       "serve",     "--graph", graph,         "--listen",
        "127.0.0.1:0", "--threads", "1",       "--log-level", "error"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    stdout_ = UniqueFd(ends[0]);
    const UniqueFd other(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, other.get(), STDOUT_FILENO);
    if (posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(),
                    environ) != 0) {
      pid_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
  }
  ~ServerProcess() {
    if (pid_ < 0) return;
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Returns HOST:PORT once the server is ready; empty if it is not within half
  // a minute. Call once.
  std::string ReadAddress() {
    std::string line;
    pollfd ready{stdout_.get(), POLLIN, 0};
    char c = 0;
    while (poll(&ready, 1, 30000) > 0 && read(stdout_.get(), &c, 1) == 1) {
      if (c == '\n') break;
      line += c;
    }
    const std::string before = "ready listen=";
    if (line.compare(0, before.size(), before) != 0) return "";
    return line.substr(before.size(),
                       line.find(' ', before.size()) - before.size());
  }
  void Signal(int signal) {
    if (pid_ > 0) kill(pid_, signal);
  }

 private:
  pid_t pid_ = -1;
  UniqueFd stdout_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_CHANNELS_SERVER_PROCESS_H_
