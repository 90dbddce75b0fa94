// The `tributary` program: lists its subcommands.
#include <memory>
#include <vector>

#include "cli/bench/bench_command.h"
#include "cli/command/program.h"
#include "cli/dispatch/copy_files_command.h"
#include "cli/dispatch/dispatch_command.h"
#include "cli/fleet/doctor_command.h"
#include "cli/fleet/serve_command.h"
#include "cli/fleet/tensors_command.h"
#include "cli/fleet/worker_command.h"
#include "cli/graph/generate_command.h"
#include "cli/graph/inspect_command.h"
#include "cli/graph/partition_command.h"
#include "cli/graph/verify_command.h"
#include "cli/hot/cache_command.h"
#include "cli/k8s/k8s_command.h"
#include "cli/launch/host_agent_command.h"
#include "cli/launch/launch_command.h"
#include "cli/sample/sample_command.h"
#include "cli/status/status_command.h"

namespace tributary {
namespace {

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakePartitionCommand());
  commands.push_back(MakeGenerateCommand());
  commands.push_back(MakeVerifyCommand());
  commands.push_back(MakeInspectCommand());
  commands.push_back(MakeCacheCommand());
  commands.push_back(MakeDispatchCommand());
  commands.push_back(MakeCopyFilesCommand());
  commands.push_back(MakeLaunchCommand());
  commands.push_back(MakeHostAgentCommand());
  commands.push_back(MakeServeCommand());
  commands.push_back(MakeWorkerCommand());
  commands.push_back(MakeSampleCommand());
  commands.push_back(MakeStatusCommand());
  commands.push_back(MakeTensorsCommand());
  commands.push_back(MakeBenchCommand());
  commands.push_back(MakeDoctorCommand());
  commands.push_back(MakeK8sCommand());
  return commands;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  return tributary::RunProgram(
      {"tributary",
       "Mini-batches of sampled neighbourhoods for graph neural networks, from "
       "a folder or a fleet of sampling servers."},
      tributary::AllCommands(), argc, argv);
}
