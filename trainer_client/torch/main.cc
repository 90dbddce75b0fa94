// The `tributary-train` program: see --help and docs/training.md.
#include <csignal>

#include "common/observe/log.h"
#include "trainer_client/torch/command/train_command.h"
#include "trainer_client/torch/real_batch_source.h"

int main(int argc, char** argv) {
  // Streams that open and close are of interest to servers only.
  tributary::SetLogLevel(tributary::LogLevel::kWarning);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  return tributary::RunTrainCommand(argc, argv, tributary::OpenRealBatchSource);
}
