// tributary-train: see --help and docs/training.md.
#include <csignal>

#include "common/observe/log.h"
#include "trainer_client/torch/real_batch_source.h"
#include "trainer_client/torch/train/train_command.h"

int main(int argc, char** argv) {
  // Streams that open and close are the servers' business.
  tributary::SetLogLevel(tributary::LogLevel::kWarning);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left: an error of a write
  return tributary::RunTrainCommand(argc, argv, tributary::OpenRealBatchSource);
}
