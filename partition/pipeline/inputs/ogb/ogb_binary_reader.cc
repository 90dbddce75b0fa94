#include "partition/pipeline/inputs/ogb/ogb_binary_reader.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/ogb/binary/array_columns.h"
#include "partition/pipeline/inputs/ogb/binary/npz_arrays.h"
#include "partition/pipeline/inputs/ogb/ogb_files.h"

namespace tributary {
namespace {

// One of the functions of array_columns.h.
using OpenColumn = absl::StatusOr<ColumnPtr> (*)(const FileArray& array,
                                                 int64_t rows,
                                                 const std::string& what);

class BinaryReader {
 public:
  BinaryReader(const InputOptions& options, const Spool& spool, NpzArrays data)
      : options_(options), spool_(spool), data_(std::move(data)) {}

  absl::StatusOr<GraphSource> Read() && {
    RETURN_IF_ERROR(ExpectArrays());
    ASSIGN_OR_RETURN(nodes_.num_nodes, ReadCount("num_nodes_list"));
    ASSIGN_OR_RETURN(num_edges_, ReadCount("num_edges_list"));
    RETURN_IF_ERROR(ReadNodes());
    GraphSource graph;
    ASSIGN_OR_RETURN(graph.splits, ReadSplits(options_, nodes_, num_edges_));
    RETURN_IF_ERROR(ReadEdges());
    NoteOthers(graph);
    graph.node_types.push_back(std::move(nodes_));
    graph.edge_types.push_back(std::move(edges_));
    return graph;
  }

 private:
  std::string LabelPath() const {
    return options_.folder + "/raw/node-label.npz";
  }

  // Announces all compressed arrays before the first is inflated.
  absl::Status ExpectArrays() const {
    std::vector<std::string> names = {"num_nodes_list", "num_edges_list",
                                      "node_feat", "edge_index", "edge_feat"};
    for (const NamedFile& file : NamedFiles(options_)) {
      names.push_back(*file.name);
    }
    std::vector<ParsedPart> parts = data_.Parts(names);
    const auto labels = NpzArrays::Open(LabelPath(), spool_);
    if (labels.ok()) {
      absl::c_move(labels->Parts({"node_label"}), std::back_inserter(parts));
    }
    return spool_.Expect(parts);
  }

  std::string What(const std::string& name) const {
    return absl::StrCat(name, " of ", data_.path());
  }

  // Reads the number of nodes or edges of the only graph.
  absl::StatusOr<int64_t> ReadCount(const std::string& name) {
    used_.push_back(name);
    ASSIGN_OR_RETURN(const FileArray array, data_.Find(name));
    return ReadCountArray(array, What(name));
  }

  // Opens an array of data.npz; returns null if there is none.
  absl::StatusOr<ColumnPtr> Optional(const std::string& name, int64_t rows,
                                     OpenColumn open) {
    if (!data_.Has(name)) return ColumnPtr();
    used_.push_back(name);
    ASSIGN_OR_RETURN(const FileArray array, data_.Find(name));
    return open(array, rows, What(name));
  }

  // Opens an array that the user names; returns null if none is.
  absl::StatusOr<ColumnPtr> Named(const NamedFile& file, int64_t rows,
                                  OpenColumn open) {
    if (!file.name.has_value()) return ColumnPtr();
    used_.push_back(*file.name);
    auto array = data_.Find(*file.name);
    if (!array.ok()) {
      return absl::Status(
          array.status().code(),
          absl::StrCat(file.flag, ": ", array.status().message()));
    }
    return open(*array, rows, What(*file.name));
  }

  absl::Status ReadNodes() {
    nodes_.name = "node";
    const int64_t n = nodes_.num_nodes;
    ASSIGN_OR_RETURN(nodes_.x, Optional("node_feat", n, OpenFeatureArray));
    ASSIGN_OR_RETURN(nodes_.time,
                     Named(NodeTimeFile(options_), n, OpenTimeArray));
    const std::string labels = LabelPath();
    ASSIGN_OR_RETURN(const bool there, IsThere(labels));
    if (!there) return absl::OkStatus();
    ASSIGN_OR_RETURN(const NpzArrays arrays, NpzArrays::Open(labels, spool_));
    ASSIGN_OR_RETURN(const FileArray array, arrays.Find("node_label"));
    ASSIGN_OR_RETURN(nodes_.y,
                     OpenLabelArray(array, n, "node_label of " + labels));
    return absl::OkStatus();
  }

  absl::Status ReadEdges() {
    edges_.src = edges_.dst = "node";
    edges_.rel = "to";
    edges_.add_reverse = options_.add_reverse;
    edges_.dedupe = options_.dedupe;
    used_.push_back("edge_index");
    ASSIGN_OR_RETURN(const FileArray index, data_.Find("edge_index"));
    ASSIGN_OR_RETURN(EndColumnPair ends,
                     OpenEdgeIndex(index, num_edges_, What("edge_index")));
    edges_.from = std::move(ends.from);
    edges_.to = std::move(ends.to);
    ASSIGN_OR_RETURN(edges_.edge_attr,
                     Optional("edge_feat", num_edges_, OpenFeatureArray));
    ASSIGN_OR_RETURN(edges_.weight, Named(EdgeWeightFile(options_), num_edges_,
                                          OpenWeightArray));
    ASSIGN_OR_RETURN(edges_.time,
                     Named(EdgeTimeFile(options_), num_edges_, OpenTimeArray));
    for (const NamedFile& file : EdgeMaskFiles(options_)) {
      ASSIGN_OR_RETURN(edges_.masks[*file.name],
                       Named(file, num_edges_, OpenMaskArray));
    }
    return absl::OkStatus();
  }

  void NoteOthers(GraphSource& graph) const {
    for (const std::string& name : data_.names()) {
      if (absl::c_linear_search(used_, name)) continue;
      graph.notes.push_back(absl::StrCat(
          What(name),
          " is left out; --node-time, --edge-time, --edge-weight and "
          "--edge-masks name arrays to read"));
    }
  }

  const InputOptions& options_;
  const Spool& spool_;
  const NpzArrays data_;
  std::vector<std::string> used_;
  int64_t num_edges_ = 0;
  NodeSource nodes_;
  EdgeSource edges_;
};

}  // namespace

absl::StatusOr<GraphSource> ReadOgbBinary(const InputOptions& options,
                                          const Spool& spool) {
  ASSIGN_OR_RETURN(NpzArrays data,
                   NpzArrays::Open(options.folder + "/raw/data.npz", spool));
  return BinaryReader(options, spool, std::move(data)).Read();
}

}  // namespace tributary
