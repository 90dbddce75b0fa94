// The line that `tributary sample` prints for a batch.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_

#include <string>

#include "common/batch/batch_view.h"

namespace tributary {

// Returns "epoch index sha256 inputs nodes edges bytes".
std::string SampleLine(const BatchView& batch);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_
