// The `tributary-train` command line. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_COMMAND_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_COMMAND_H_

#include "trainer_client/torch/sessions/batch_source.h"
#include "trainer_client/torch/train/model_factory.h"

namespace tributary {

// Runs the program: as one rank, or with --nproc as the launcher of several.
// `open` is called once in each rank. Returns the exit code: 0; 1 with a
// message on stderr; 2 for a wrong command line; 75, after a checkpoint, when
// another rank or a server that holds the run's rows was asked to end; 76 from
// a rank that lost the others; 78 when another start cannot help
// (NeverSucceeds()); 130 after SIGINT or SIGTERM, after a checkpoint.
// Must be called first in main(), before any thread exists.
//
// A program that trains a model of its own passes `make_model`, which is called
// instead of MakeModel(); --model is ignored then. examples/own_model is one.
int RunTrainCommand(int argc, char** argv, const OpenBatchSource& open,
                    ModelFactory make_model = nullptr);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_COMMAND_H_
