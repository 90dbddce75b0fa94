// Lays out a batch's tensors and writes those that are not rows of columns.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_WRITER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/batch/batch_layout.h"
#include "common/runtime/stop_check.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// The layout of the batch that `state` holds. Exact once the state is complete;
// its size is a lower bound before. All arguments of the constructor outlive
// it. Not thread-safe.
class BatchWriter {
 public:
  BatchWriter(const GraphSchema& schema, const SamplingPlan& plan,
              const BatchKey& key, const BatchState& state);

  size_t total_bytes() const { return layout_.total_bytes(); }
  // Of the room, which lacks what is left out.
  size_t room_bytes() const { return layout_.room_bytes(); }
  std::vector<BatchGap> gaps() const { return layout_.gaps(); }
  // Returns how many of the bytes left out compact edges do without.
  size_t compact_bytes() const { return compact_bytes_; }

  // Writes the header and all tensors except n_id, x, y, edge_attr, their
  // scales, in_degree, out_degree and those that the kind's
  // BatchProgram::Finish writes. `room` has room_bytes(). `input_number` has
  // an entry for each input. Returns false when `stop` says so.
  bool Write(absl::Span<const int64_t> input_number, absl::Span<uint8_t> room,
             StopCheck* stop = nullptr);

  // The parts of `room` for the rows of a type; empty for columns that the
  // batch does not have. x, x_scale and y are without the rows that are left
  // out.
  struct NodeRows {
    absl::Span<uint8_t> n_id, x, x_scale, y, time;
  };
  struct EdgeRows {
    absl::Span<uint8_t> edge_attr, edge_attr_scale, weight;
  };
  // The parts of `room` for the degrees of the nodes at the ends of a type;
  // empty if the batch has none, or has them with the type whose tensors this
  // one shares.
  struct Degrees {
    absl::Span<uint8_t> in, out;
  };
  // `index`: in plan.node_types and plan.edge_types.
  NodeRows node_rows(size_t index, absl::Span<uint8_t> room) const;
  EdgeRows edge_rows(size_t index, absl::Span<uint8_t> room) const;
  Degrees degrees(size_t index, absl::Span<uint8_t> room) const;
  // `index`: in state.tensors.
  absl::Span<uint8_t> kind_tensor(size_t index, absl::Span<uint8_t> room) const;

 private:
  static constexpr int kNone = -1;
  struct NodeTensors {
    int n_id = kNone, num_sampled_nodes = kNone, x = kNone, x_scale = kNone,
        y = kNone, time = kNone, batch = kNone;
  };
  struct EdgeTensors {
    int edge_index = kNone, e_id = kNone, num_sampled_edges = kNone,
        edge_attr = kNone, edge_attr_scale = kNone, edge_weight = kNone,
        weight = kNone, in_degree = kNone, out_degree = kNone;
  };

  int64_t NumNodes(int type) const;
  std::string EdgeSuffix(int edge_type) const;
  // Returns the tensor's handle; with int8 sets `scale` to that of its scales.
  int AddFeatures(const std::string& name, const std::string& suffix,
                  int64_t rows, const ColumnSchema& stored, int* scale);
  void AddInputTensors();
  void AddNodeTensors(int type);
  void AddEdgeTensors(size_t index);
  void AddDegrees(int edge_type, EdgeTensors* tensors);
  void WriteTrees(size_t index, absl::Span<uint8_t> room) const;
  void WriteEdgeWeights(size_t index, absl::Span<uint8_t> room) const;
  void AddEdgeCounts(size_t index, absl::Span<uint8_t> room) const;
  // The edges of a type; of types that share tensors, the compact ones are all
  // written with the first.
  void WriteEdgeIndex(size_t index, absl::Span<uint8_t> room,
                      StopCheck* stop) const;
  void WriteEdgeIds(size_t index, absl::Span<uint8_t> room,
                    StopCheck* stop) const;
  void LeaveOut(int handle, size_t bytes);
  absl::Span<uint8_t> TensorOf(int handle, absl::Span<uint8_t> room) const;

  const GraphSchema& schema_;
  const SamplingPlan& plan_;
  const BatchState& state_;
  BatchLayout layout_;
  int batch_size_ = kNone, input_id_ = kNone, seed_index_ = kNone,
      seed_time_ = kNone;
  std::vector<NodeTensors> nodes_;  // by plan.node_types
  std::vector<EdgeTensors> edges_;  // by plan.edge_types; may be shared
  std::vector<int> kind_tensors_;   // by state.tensors
  size_t compact_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_WRITER_H_
