#include "cli/command/program.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command/error_message.h"
#include "common/observe/log_format.h"
#include "common/process/resource_errors.h"
#include "common/process/signal_watcher.h"
#include "common/random/hop_key.h"
#include "common/text/terminal_text.h"
#include "common/text/version.h"

namespace tributary {
namespace {

constexpr char kExitCodes[] =
    R"(Exit codes: 0 done, 1 failed, 2 the command line is wrong, 128 + N ended by
signal N (130 Ctrl-C, 143 SIGTERM); partial output is removed.
)";

// Returns UNAVAILABLE if some output was not written.
absl::Status FlushStdout() {
  std::cout.flush();  // CLI11's help
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      absl::StrCat("cannot write to stdout: ", std::strerror(errno)));
}

// Returns the commands that --help lists.
std::vector<std::string> CommandNames(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* app : parent.get_subcommands({})) {
    if (!app->get_group().empty()) names.push_back(app->get_name());
  }
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.push_back(option->get_name());
  }
  return names;
}

// Returns the command whose arguments were being parsed, and its full name.
std::pair<const CLI::App*, std::string> Current(const CLI::App& root) {
  const CLI::App* app = &root;
  std::string name = root.get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    absl::StrAppend(&name, " ", app->get_name());
  }
  return {app, name};
}

int ReportParseError(const CLI::App& root, const CLI::ParseError& error) {
  const auto [app, name] = Current(root);
  std::string what = error.what();
  for (char& c : what) {
    if (c == '\n') c = ' ';
  }
  const std::string allowed =
      !CommandNames(*app).empty()
          ? absl::StrCat("commands: ", absl::StrJoin(CommandNames(*app), ", "))
          : absl::StrCat("options: ", absl::StrJoin(OptionNames(*app), ", "));
  const absl::Status status = UsageError(
      absl::StrCat(what, "\n", allowed, "\nTry `", name, " --help`."));
  std::fputs(ErrorText(name, status).c_str(), stderr);
  return kExitUsage;
}

// Refuses control characters, which would break the lines of messages; no flag
// and no sensible path has any.
absl::Status CheckCharacters(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (const char* c = argv[i]; *c != '\0'; ++c) {
      if (!absl::ascii_iscntrl(static_cast<unsigned char>(*c))) continue;
      return UsageError(absl::StrCat("argument ", i, " is \"",
                                     TerminalLine(argv[i]),
                                     "\"\nallowed: no control characters"));
    }
  }
  return absl::OkStatus();
}

// Refuses unknown commands; CLI11 reports them only as a missing subcommand.
absl::Status CheckCommandNames(const CLI::App& root, int argc, char** argv) {
  const CLI::App* app = &root;
  std::string path = root.get_name();
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::vector<std::string> names = CommandNames(*app);
    if (names.empty()) return absl::OkStatus();
    const auto named = app->get_subcommands(
        [&](const CLI::App* one) { return one->check_name(argv[i]); });
    if (named.empty()) {
      return UsageError(absl::StrCat("no command \"", argv[i], "\"\ncommands: ",
                                     absl::StrJoin(names, ", "), "\nTry `",
                                     path, " --help`."));
    }
    app = named.front();
    absl::StrAppend(&path, " ", argv[i]);
  }
  return absl::OkStatus();
}

// Flushes stdout, prints the error, if any, and returns the exit code.
int End(const std::string& name, absl::Status status) {
  if (status.ok()) status = FlushStdout();
  if (!status.ok()) PrintMessage(LogLevel::kError, name, ErrorMessage(status));
  return ExitCodeOf(status);
}

}  // namespace

int RunProgram(const ProgramText& text,
               const std::vector<std::unique_ptr<Command>>& commands, int argc,
               char** argv) {
  // A closed pipe and a file beyond the size limit become errors of write(),
  // which are reported and cleaned up after.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App root(text.description, text.name);
  root.set_version_flag(
      "--version",
      absl::StrCat(text.name, " ", kVersion, " semantics ", kSemanticsVersion));
  root.require_subcommand(1);
  root.footer(absl::StrCat(kExitCodes, "`", text.name,
                           " COMMAND --help` explains a command and shows "
                           "examples."));
  std::vector<CLI::App*> apps;
  for (const auto& command : commands) apps.push_back(command->Declare(root));

  absl::Status status = CheckCharacters(argc, argv);
  if (status.ok()) status = CheckCommandNames(root, argc, argv);
  if (!status.ok()) return End(text.name, status);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version are exceptions, too.
    if (error.get_exit_code() != 0) return ReportParseError(root, error);
    root.exit(error);
    return End(text.name, absl::OkStatus());
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!apps[i]->parsed()) continue;
    const std::string name = absl::StrCat(text.name, " ", apps[i]->get_name());
    return End(name, CatchResourceErrors([&] {
                 SignalWatcher signals({.program = name, .hangup_too = true});
                 return commands[i]->Run(signals);
               }));
  }
  return kExitUsage;
}

}  // namespace tributary
