// Writes the cache of hot rows of a finished graph folder.
#ifndef TRIBUTARY_PARTITION_WRITER_HOT_HOT_CACHE_WRITER_H_
#define TRIBUTARY_PARTITION_WRITER_HOT_HOT_CACHE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/atomic_folder.h"
#include "common/tensor/npy.h"
#include "partition/format/graph.h"
#include "partition/format/hot_manifest.h"

namespace tributary {

// Copies rows from the graph's partitions in pieces of a few MiB; nothing else
// of the graph is changed. The cache appears complete at Commit, in the place
// of an older one; without it nothing is left. Not thread-safe; move-only.
//
//   ASSIGN_OR_RETURN(auto writer, HotCacheWriter::Create("graph"));
//   RETURN_IF_ERROR(writer.Add(/*partition=*/0, /*node_type=*/0, ids));
//   ASSIGN_OR_RETURN(HotManifest made, writer.Commit("tributary cache ..."));
class HotCacheWriter {
 public:
  // `graph` is that of `folder`, with all partitions and features that are read
  // (kPaged); null: it is opened. Errors as Graph::Open and
  // AtomicFolder::Create.
  static absl::StatusOr<HotCacheWriter> Create(
      const std::string& folder, std::shared_ptr<const Graph> graph = nullptr);

  // Adds the rows of one type to a partition's cache. `internal_ids` ascend and
  // are of other partitions; none is no error. Each partition and type at most
  // once, in ascending order of both. RESOURCE_EXHAUSTED if the disk is full;
  // DATA_LOSS or ABORTED, naming the file, for a row that cannot be read.
  absl::Status Add(uint32_t partition, int node_type,
                   absl::Span<const uint64_t> internal_ids);
  // Makes what was added the graph's cache. Nothing may be added afterwards.
  absl::StatusOr<HotManifest> Commit(std::string made_by, bool flush = true);

 private:
  HotCacheWriter(std::shared_ptr<const Graph> graph, AtomicFolder folder)
      : graph_(std::move(graph)), folder_(std::move(folder)) {}

  // Writes an array whose elements `fill` appends for a piece of the ids.
  template <typename Fill>
  absl::Status WriteArray(uint32_t partition, int node_type, const char* name,
                          NpyType npy, const std::vector<int64_t>& shape,
                          absl::Span<const uint64_t> ids, Fill fill);

  std::shared_ptr<const Graph> graph_;  // features are read, not mapped
  AtomicFolder folder_;
  HotManifest manifest_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_HOT_HOT_CACHE_WRITER_H_
