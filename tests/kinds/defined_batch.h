// Builds the tensors that batches of every kind have, as docs/sampling.md
// defines them. Fixtures add the tensors of their kind.
#ifndef TRIBUTARY_TESTS_KINDS_DEFINED_BATCH_H_
#define TRIBUTARY_TESTS_KINDS_DEFINED_BATCH_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sampler_server/engine/testing/expected_tensors.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// Returns those of x, y and edge_attr that are among `columns`.
CollectedColumns UsualColumns(const CollectedColumns& columns);

// One batch under construction, in original ids, without code of the engine.
// The constructor numbers the inputs; keeps references to its arguments.
class DefinedBatch {
 public:
  DefinedBatch(const MemoryGraphSpec& graph, const SpecOptions& options,
               const BatchRequest& request);

  const std::string& input_type() const { return input_type_; }
  // Returns the node's local number; gives it the next one if it has none.
  int32_t Number(const std::string& type, int64_t id);
  // The original ids of the type's nodes, by local number.
  const std::vector<int64_t>& ids(const std::string& type) {
    return ids_[type];
  }
  // The local number of the input at each position.
  const std::vector<int32_t>& seed_index() const { return seed_index_; }

  // Adds a tensor.
  template <typename T>
  void Put(const std::string& name, DType dtype, std::vector<uint64_t> dims,
           const std::vector<T>& values) {
    tensors_[name] = MakeExpectedTensor(dtype, std::move(dims), values);
  }
  // Adds feature rows in the precision that the options ask for, of a column
  // that is stored as scaled rows or not.
  void PutFeatures(const std::string& name, const std::string& suffix,
                   std::vector<uint64_t> dims, const std::vector<float>& values,
                   bool scaled);
  // Adds in_degree and out_degree of an edge type between nodes of the type, if
  // the options ask for them.
  void PutDegrees(const std::vector<std::pair<int64_t, int64_t>>& edges,
                  const std::string& suffix, const std::string& node_type);
  // The suffix of tensor names: "/type" in a typed graph, else empty.
  std::string Suffix(const std::string& type) const {
    return graph_.heterogeneous ? "/" + type : "";
  }

  // Adds batch_size, input_id, seed_index, and n_id, x, y of `types`; returns
  // the digest of all tensors.
  std::string Digest(const std::set<std::string>& types);

 private:
  void PutNodes(const MemoryGraphSpec::NodeType& type);

  const MemoryGraphSpec& graph_;
  const SpecOptions& options_;
  const BatchRequest& request_;
  std::string input_type_;
  std::vector<int32_t> seed_index_;
  size_t unique_inputs_ = 0;
  std::map<std::string, std::map<int64_t, int32_t>> numbers_;
  std::map<std::string, std::vector<int64_t>> ids_;
  ExpectedTensors tensors_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_DEFINED_BATCH_H_
