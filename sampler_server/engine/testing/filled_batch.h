// Fills the rows in that a batch lacks, by its definition.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FILLED_BATCH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FILLED_BATCH_H_

#include <memory>
#include <string>

#include "common/session/feature_dtype.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/gather/left_out_nodes.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// The rows of some part of each type of the graph's node types, in a random
// order. All partitions of `graph` are mapped.
std::shared_ptr<const TrainerRows> SomeTrainerRows(const Graph& graph,
                                                   uint64_t seed);

// Makes the room of a ready batch whole, with rows of `graph`, in which all
// partitions are mapped. Expects that the bytes and the CRCs that are left out
// are those of the rows whose ranks the batch has.
void FillLeftOut(const Graph& graph, const TrainerRows& rows,
                 FeatureDType feature_dtype, RecordingSink& sink);

// Runs a batch whose trainer holds some rows, and returns its digest once they
// are filled in. All partitions of `graph` are mapped.
std::string DigestWithTrainerRows(OneBatchWorld& world, const Graph& graph,
                                  const BatchCase& batch, uint64_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FILLED_BATCH_H_
