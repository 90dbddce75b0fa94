// Writes generated graphs as chunks, as a user's files that are larger than
// memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_CHUNKS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_CHUNKS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "partition/pipeline/inputs/rmat/rmat.h"

namespace tributary {

// Where a generated graph is written.
struct RmatChunkOptions {
  std::string folder;  // must not exist
  int64_t chunk_rows = int64_t{1} << 24;
  // Called with the bytes written so far; may be null.
  std::function<void(uint64_t bytes)> progress;
};

// Returns the bytes of the chunks that WriteRmatChunks would write.
uint64_t RmatChunkBytes(const RmatOptions& options);

// Writes the graph in DGL's chunked layout: metadata.json, and .npy chunks of
// chunk_rows rows: edges [rows, 2] int64, of the nodes feat, label, train_mask,
// val_mask, test_mask and time, of the edges weight, time and masks by their
// names. Computes blocks of some MiB on all cores and appends them. The folder
// appears complete or not at all. INVALID_ARGUMENT as CheckRmatOptions;
// ALREADY_EXISTS; RESOURCE_EXHAUSTED if the disk has too little room.
absl::Status WriteRmatChunks(const RmatOptions& options,
                             const RmatChunkOptions& chunks);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_RMAT_RMAT_CHUNKS_H_
