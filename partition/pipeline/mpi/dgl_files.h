// The text files of pm_dglpart, DGL's program around ParMETIS.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_FILES_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/mpi/edge_reader.h"
#include "partition/pipeline/mpi/line_share.h"

namespace tributary {

// Where the files are. PREFIX_stats.txt is "NODES EDGES WEIGHTS"; a line of the
// node files is "TYPE WEIGHT... ID ATTRIBUTE...", the row being the node's
// homogenised id; one of the edge files "SOURCE DESTINATION ...", of
// homogenised ids.
struct DglFiles {
  std::string prefix;
  int64_t num_nodes = 0;
  int64_t num_edges = 0;
  int num_weights = 0;
  std::vector<std::string> nodes;  // PREFIX_nodes.txt, or those of a list
  std::vector<std::string> edges;  // PREFIX_edges.txt, or those of a list
  // By number, from the ranges of "nid" in PREFIX.json; empty if there is none.
  std::vector<std::string> type_names;
};

// Reads PREFIX_stats.txt and PREFIX.json, and the lists where they are given:
// parmetis_nfiles.txt, "FILE FIRST END" for each node file, and
// parmetis_efiles.txt, "FILE" for each edge file; empty: PREFIX_nodes.txt and
// PREFIX_edges.txt. NOT_FOUND and INVALID_ARGUMENT name the file and the line.
absl::StatusOr<DglFiles> FindDglFiles(const std::string& prefix,
                                      const std::string& node_list,
                                      const std::string& edge_list);

// Reads a rank's share of the edge files.
class DglEdgeReader final : public EdgeScan {
 public:
  static absl::StatusOr<DglEdgeReader> Open(const DglFiles& files, int rank,
                                            int ranks);
  absl::StatusOr<size_t> Read(absl::Span<HomogeneousEdge> out) override;
  // The edges that were read.
  int64_t num_edges() const { return num_edges_; }

 private:
  DglEdgeReader(LineShare lines, int64_t num_nodes)
      : lines_(std::move(lines)), num_nodes_(num_nodes) {}

  LineShare lines_;
  int64_t num_nodes_;
  int64_t num_edges_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_DGL_FILES_H_
