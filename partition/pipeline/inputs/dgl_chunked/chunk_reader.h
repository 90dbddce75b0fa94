// Opens arrays that DGL's chunked format keeps in several files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_CHUNK_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_CHUNK_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/dgl_chunked/dgl_metadata.h"
#include "partition/pipeline/inputs/tables/table.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// The two ends of edges: int64 [E] each.
struct ChunkEnds {
  ColumnPtr from, to;
};

// Opens arrays. NumPy files are read in place; csv and Parquet files are parsed
// into the spool. All errors begin with the array's key in metadata.json or
// with the file: INVALID_ARGUMENT for other types, widths or numbers of rows
// than wanted; NOT_FOUND; DATA_LOSS for a file that is damaged or cut off.
class ChunkReader {
 public:
  // Paths are relative to `folder`.
  ChunkReader(std::string folder, const Spool& spool)
      : folder_(std::move(folder)), spool_(spool) {}

  // Opens values with `counts` rows: of kind kFloats [rows, columns]; kLabels,
  // whole numbers as int64 and [rows] for one column; kWeight, float32 or
  // float64 [rows]; kTime, int64 [rows]; kMask, bool [rows]. `name` is that of
  // the column in the spool.
  absl::StatusOr<ColumnPtr> Values(const ChunkFiles& files,
                                   const ChunkCounts& counts, CellKind kind,
                                   const std::string& name) const;
  // Opens pairs of ids: NumPy files [E, 2], or [2, E] where that is no [E, 2];
  // others with two columns.
  absl::StatusOr<ChunkEnds> Ends(const ChunkFiles& files,
                                 const ChunkCounts& counts,
                                 const std::string& name) const;
  // Returns what Values parses. Files that cannot be read are left out.
  std::vector<ParsedPart> ValueParts(const ChunkFiles& files,
                                     const ChunkCounts& counts, CellKind kind,
                                     const std::string& name) const;
  // Returns what Ends parses. Files that cannot be read are left out.
  std::vector<ParsedPart> EndParts(const ChunkFiles& files,
                                   const ChunkCounts& counts,
                                   const std::string& name) const;
  // Returns the paths of the files.
  std::vector<std::string> Paths(const ChunkFiles& files) const;

 private:
  const std::string folder_;
  const Spool& spool_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_DGL_CHUNKED_CHUNK_READER_H_
