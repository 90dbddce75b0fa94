#include "cli/launch/child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

extern char** environ;

namespace tributary {
namespace {

// This process's variables with those of the command in their place.
std::vector<std::string> Environment(const std::vector<std::string>& own) {
  const auto replaced = [&](const std::string& variable) {
    const size_t name = variable.find('=') + 1;
    return std::any_of(own.begin(), own.end(), [&](const std::string& one) {
      return absl::StartsWith(one, variable.substr(0, name));
    });
  };
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!replaced(*variable)) all.emplace_back(*variable);
  }
  // Of two values the later one counts.
  for (size_t i = 0; i < own.size(); ++i) {
    const std::string name = own[i].substr(0, own[i].find('=') + 1);
    const bool again = std::any_of(
        own.begin() + i + 1, own.end(),
        [&](const auto& later) { return absl::StartsWith(later, name); });
    if (!again) all.push_back(own[i]);
  }
  return all;
}

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Pipe {
  UniqueFd reads, writes;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void SetNonBlocking(const UniqueFd& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

struct ExecArguments {
  pid_t parent;
  int in, out, err;
  const char* folder;  // null: none
  char** argv;
  char** environment;
};

// Runs between fork and exec, so it makes async-signal-safe calls only.
[[noreturn]] void ExecChild(const ExecArguments& arguments) {
  sigset_t none;
  sigemptyset(&none);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != arguments.parent) _exit(127);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const char* failed = "cannot take over its pipes\n";
  if (dup2(arguments.in, STDIN_FILENO) >= 0 &&
      dup2(arguments.out, STDOUT_FILENO) >= 0 &&
      dup2(arguments.err, STDERR_FILENO) >= 0) {
    if (arguments.folder != nullptr && chdir(arguments.folder) != 0) {
      failed = "cannot enter the workspace\n";
    } else {
      execve(arguments.argv[0], arguments.argv, arguments.environment);
      failed = "cannot start the program\n";
    }
  }
  // Nobody is left to tell if this fails.
  if (write(arguments.err, failed, std::strlen(failed)) < 0) _exit(127);
  _exit(127);
}

}  // namespace

absl::StatusOr<ChildProcess> StartChild(const ChildCommand& command) {
  std::vector<std::string> argv = command.argv;
  std::vector<std::string> variables = Environment(command.environment);
  const std::vector<char*> argv_pointers = PointersTo(argv);
  const std::vector<char*> variable_pointers = PointersTo(variables);
  ASSIGN_OR_RETURN(Pipe in, MakePipe());
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  ExecArguments arguments{
      getpid(),
      in.reads.get(),
      out.writes.get(),
      err.writes.get(),
      command.folder.empty() ? nullptr : command.folder.c_str(),
      const_cast<char**>(argv_pointers.data()),
      const_cast<char**>(variable_pointers.data())};
  ChildProcess child;
  child.pid = fork();
  if (child.pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (child.pid == 0) ExecChild(arguments);
  setpgid(child.pid, child.pid);  // whichever of the two comes first
  child.exited =
      UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0)));
  child.out = std::move(out.reads);
  child.err = std::move(err.reads);
  if (command.reads_input) child.in = std::move(in.writes);
  for (const UniqueFd* fd : {&child.out, &child.err, &child.in}) {
    if (fd->valid()) SetNonBlocking(*fd);
  }
  return child;
}

int LiveMembersOf(pid_t group) {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  int count = 0;
  while (const dirent* entry = proc ? readdir(proc.get()) : nullptr) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    std::ifstream file(absl::StrCat("/proc/", entry->d_name, "/stat"));
    std::string stat((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
    // "PID (NAME) STATE PPID PGRP ...", where NAME may hold anything.
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;  // it has just ended
    std::istringstream fields(stat.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0, its_group = 0;
    fields >> state >> parent >> its_group;
    if (its_group == group && state != 'Z' && state != 'X') ++count;
  }
  return count;
}

std::vector<pid_t> OwnChildren() {
  const pid_t thread = static_cast<pid_t>(syscall(SYS_gettid));
  std::ifstream file(absl::StrCat("/proc/self/task/", thread, "/children"));
  std::vector<pid_t> children;
  for (pid_t pid; file >> pid;) children.push_back(pid);
  return children;
}

}  // namespace tributary
