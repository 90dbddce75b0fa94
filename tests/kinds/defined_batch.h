// The tensors that batches of every kind have, by docs/sampling.md: what the
// fixtures of kinds write their own beside.
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

// In original ids, as slowly as it reads. The inputs have numbers.
class DefinedBatch {
 public:
  DefinedBatch(const MemoryGraphSpec& graph, const SpecOptions& options,
               const BatchRequest& request);

  const std::string& input_type() const { return input_type_; }
  // The node's local number, a new one where it has none.
  int32_t Number(const std::string& type, int64_t id);
  const std::vector<int64_t>& ids(const std::string& type) {
    return ids_[type];
  }
  // Of the input at each position.
  const std::vector<int32_t>& seed_index() const { return seed_index_; }

  template <typename T>
  void Put(const std::string& name, DType dtype, std::vector<uint64_t> dims,
           const std::vector<T>& values) {
    tensors_[name] = MakeOracleTensor(dtype, std::move(dims), values);
  }
  // In the precision that is asked for.
  void PutFeatures(const std::string& name, const std::string& suffix,
                   std::vector<uint64_t> dims,
                   const std::vector<float>& values);
  // "/type" in a typed graph.
  std::string Suffix(const std::string& type) const {
    return graph_.heterogeneous ? "/" + type : "";
  }

  // With batch_size, input_id, seed_index, and n_id, x, y of these types.
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
  OracleTensors tensors_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_DEFINED_BATCH_H_
