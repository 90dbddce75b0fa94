// The `tributary` program: one subcommand a file, declared here.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/bench_command.h"
#include "cli/command.h"
#include "cli/doctor_command.h"
#include "cli/generate_command.h"
#include "cli/inspect_command.h"
#include "cli/partition_command.h"
#include "cli/sample_command.h"
#include "cli/serve_command.h"
#include "cli/status_command.h"
#include "cli/verify_command.h"
#include "common/session/hop_key.h"

namespace tributary {
namespace {

constexpr char kVersion[] = "0.1.0";

constexpr char kFooter[] =
    R"(Exit codes: 0 done, 1 failed, 2 the command line is wrong.
`tributary COMMAND --help` explains a command and shows examples.)";

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakePartitionCommand());
  commands.push_back(MakeGenerateCommand());
  commands.push_back(MakeVerifyCommand());
  commands.push_back(MakeInspectCommand());
  commands.push_back(MakeServeCommand());
  commands.push_back(MakeSampleCommand());
  commands.push_back(MakeStatusCommand());
  commands.push_back(MakeBenchCommand());
  commands.push_back(MakeDoctorCommand());
  return commands;
}

// A size that was allowed may still be more than this machine has.
absl::Status RunWithinMemory(Command& command) {
  try {
    return command.Run();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        "out of memory; give smaller counts or sizes, or a larger machine");
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system grants no more threads (", error.what(),
                     "); lower --threads"));
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError(
        "a count is beyond what can be addressed; give smaller ones");
  }
}

std::vector<std::string> CommandNames(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* app : parent.get_subcommands({})) {
    names.push_back(app->get_name());
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

// The app whose arguments were being parsed, and its full name.
std::pair<const CLI::App*, std::string> Current(const CLI::App& root) {
  const CLI::App* app = &root;
  std::string name = "tributary";
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

absl::Status CheckCommandName(const CLI::App& root, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return absl::OkStatus();
  const std::vector<std::string> names = CommandNames(root);
  for (const std::string& name : names) {
    if (name == argv[1]) return absl::OkStatus();
  }
  return UsageError(absl::StrCat("no command \"", argv[1],
                                 "\"\ncommands: ", absl::StrJoin(names, ", "),
                                 "\nTry `tributary --help`."));
}

int Main(int argc, char** argv) {
  CLI::App root(
      "Mini-batches of sampled neighbourhoods for graph neural "
      "networks, from a folder or a fleet of sampling servers.",
      "tributary");
  root.set_version_flag(
      "--version",
      absl::StrCat("tributary ", kVersion, " semantics ", kSemanticsVersion));
  root.require_subcommand(1);
  root.footer(kFooter);
  const auto commands = AllCommands();
  std::vector<CLI::App*> apps;
  for (const auto& command : commands) apps.push_back(command->Declare(root));

  if (absl::Status status = CheckCommandName(root, argc, argv); !status.ok()) {
    std::fputs(ErrorText("tributary", status).c_str(), stderr);
    return ExitCodeOf(status);
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come this way too.
    if (error.get_exit_code() == 0) return root.exit(error);
    return ReportParseError(root, error);
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!apps[i]->parsed()) continue;
    const absl::Status status = RunWithinMemory(*commands[i]);
    if (!status.ok()) {
      const std::string name = absl::StrCat("tributary ", apps[i]->get_name());
      std::fputs(ErrorText(name, status).c_str(), stderr);
    }
    return ExitCodeOf(status);
  }
  return kExitUsage;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
