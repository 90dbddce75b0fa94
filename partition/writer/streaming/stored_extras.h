// The arrays of a graph folder that are made from others: degrees of sources,
// places of edges by id, node maps, splits, the user's ids.
#ifndef TRIBUTARY_PARTITION_WRITER_STREAMING_STORED_EXTRAS_H_
#define TRIBUTARY_PARTITION_WRITER_STREAMING_STORED_EXTRAS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "partition/writer/content.h"
#include "partition/writer/streaming/node_tables.h"

namespace tributary {

// Each writes files below `folder`, replacing those of an earlier run, and
// returns their entries for graph.json. They take `buffer_bytes` at most, and
// WriteOutDegrees 8 bytes a source node more.

absl::StatusOr<std::vector<FileSchema>> WriteNodeMap(const std::string& folder,
                                                     const NodeTypeSchema& type,
                                                     const NodeTable& nodes,
                                                     uint32_t num_partitions);

// Reads the written `indices`.
absl::StatusOr<std::vector<FileSchema>> WriteOutDegrees(
    const std::string& folder, const EdgeTypeSchema& edges,
    const NodeTable& sources, uint32_t num_partitions, uint64_t buffer_bytes);

// Reads the written `edge_id`s, as often as the ids need buffers.
absl::StatusOr<std::vector<FileSchema>> WriteEdgeIndex(
    const std::string& folder, const EdgeTypeSchema& edges,
    uint32_t num_partitions, uint64_t buffer_bytes);

// Copies the dictionaries of GraphSource::id_files.
absl::StatusOr<std::vector<FileSchema>> CopyIdFiles(
    const std::string& folder,
    const std::map<std::string, std::string>& id_files, uint64_t buffer_bytes);

absl::StatusOr<std::vector<FileSchema>> WriteSplits(
    const std::string& folder, const GraphSchema& schema,
    const std::vector<SplitContent>& splits);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_STREAMING_STORED_EXTRAS_H_
