// One batch on every layout of a small graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_LAYOUTS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_LAYOUTS_H_

#include <functional>
#include <memory>
#include <string>

#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// Expects the digest with 1, 2, 3, 5 and 7 partitions, all here, the first a
// peer's, and with the others' features in files. Returns one of the batches.
std::shared_ptr<RecordingSink> ExpectDigestOnLayouts(
    const std::function<std::shared_ptr<MemoryGraph>(uint32_t partitions)>&
        make_graph,
    const BatchCase& batch, const std::string& digest);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_LAYOUTS_H_
