// Writes a graph that need not fit into memory to a graph folder.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_STREAMING_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_STREAMING_WRITER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "common/runtime/clock.h"
#include "partition/schema/schema.h"
#include "partition/source/graph_source.h"
#include "partition/writer/writer.h"

namespace tributary {

// How far a stage has come: `done` of `total` of its own units (rows or nodes).
using StageCallback =
    std::function<void(const char* stage, int64_t done, int64_t total)>;

// The bounds of a run and where it keeps what it spills.
struct StreamingBounds {
  uint64_t memory_bytes = uint64_t{4} << 30;  // of the whole process
  int threads = 1;
  // A folder on the file system of the target, which must exist. What an
  // earlier run with the same source, plan and options has left there is
  // continued. Whoever makes it removes it when another command or other input
  // has filled it, and after success.
  std::string work_folder;
  // The most that the ranges of nodes which are made at a time should take;
  // tests make them small.
  uint64_t range_bytes = uint64_t{192} << 20;
  // Bytes that the disk must have beside what the run writes, for what is made
  // of the graph afterwards: a function of its schema; null: none.
  uint64_t (*bytes_afterwards)(const GraphSchema&) = nullptr;
  const Clock* clock =
      &SteadyClock();      // when the state is due; outlives a call
  StageCallback progress;  // may be null; called from several threads
};

// Writes the folder that WriteGraph writes for the same graph, to the byte, in
// bounded memory:
//
//   1. counts the edges by ranges of destinations, and checks the ends;
//   2. distributes the edges by these ranges to a spill file in the work
//      folder, with their columns;
//   3. goes once over all nodes by original id: sorts a range's edges in
//      memory, hashes its records for the content digest, and appends rows to
//      the files of the partitions;
//   4. makes degrees and edge index from the written arrays, where asked for.
//
// Files are only appended to and the state is noted every few seconds, so that
// after a kill the same call goes on. Memory: 6 bytes a node (10 for types of
// 2^32 nodes), 8 more if the type has times, and buffers within memory_bytes.
//
// INVALID_ARGUMENT, before anything is written, if memory_bytes is too small
// for the nodes (with the bytes that are needed), RESOURCE_EXHAUSTED if the
// disk has too little room; ALREADY_EXISTS; OUT_OF_RANGE and INVALID_ARGUMENT
// name the row that does not fit; errors as WriteGraph otherwise.
absl::StatusOr<GraphSchema> WriteGraphStreaming(const GraphSource& source,
                                                NodePlan plan,
                                                const std::string& folder,
                                                const WriteOptions& options,
                                                const StreamingBounds& bounds);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_STREAMING_WRITER_H_
