// The lines that `tributary sample` prints.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_

#include <string>

#include "common/batch/batch_view.h"
#include "trainer_client/core/window/loader_stats.h"

namespace tributary {

// Returns "epoch index sha256 inputs nodes edges bytes".
std::string SampleLine(const BatchView& batch);

// Returns a line of the bytes of all batches, with those that were sent.
std::string SummaryLine(const LoaderStats& stats);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_OUTPUT_H_
