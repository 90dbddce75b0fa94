// tributary-train: see --help and docs/training.md.
#include "trainer_client/torch/real_batch_source.h"
#include "trainer_client/torch/train_command.h"

int main(int argc, char** argv) {
  return tributary::RunTrainCommand(argc, argv, tributary::OpenRealBatchSource);
}
