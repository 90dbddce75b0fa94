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
// partitions are mapped, and expands compact edges. Expects that the bytes and
// the CRCs that are left out are those of the rows whose ranks the batch has,
// and of these edges. `rows`: null if the trainer holds none.
void FillLeftOut(const Graph& graph, const TrainerRows* rows,
                 FeatureDType feature_dtype, RecordingSink& sink);

// Runs a batch whose trainer holds some rows, and expands compact edges where
// `seed` is odd. Returns its digest once it is whole. All partitions of `graph`
// are mapped.
std::string DigestWithTrainerRows(OneBatchWorld& world, const Graph& graph,
                                  const BatchCase& batch, uint64_t seed);
// Likewise of a trainer that holds no rows and expands compact edges. Adds the
// bytes that these did without to `saved`, and the bytes of the tensors to
// `all`.
std::string DigestWithCompactEdges(OneBatchWorld& world, const Graph& graph,
                                   const BatchCase& batch, uint64_t* saved,
                                   uint64_t* all);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FILLED_BATCH_H_
