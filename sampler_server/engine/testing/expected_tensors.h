// A batch's tensors as docs/sampling.md defines them, and their digest.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_TENSORS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_TENSORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/session/feature_dtype.h"
#include "common/tensor/dtype.h"

namespace tributary {

// A dense row-major tensor.
struct ExpectedTensor {
  DType dtype;
  std::vector<uint64_t> dims;
  std::string bytes;
};

using ExpectedTensors = std::map<std::string, ExpectedTensor>;  // by name

template <typename T>
ExpectedTensor MakeExpectedTensor(DType dtype, std::vector<uint64_t> dims,
                                  const std::vector<T>& values) {
  return {dtype, std::move(dims),
          std::string(reinterpret_cast<const char*>(values.data()),
                      values.size() * sizeof(T))};
}

// Adds feature rows in precision `asked`, as tensor name + suffix and, for
// int8, name + "_scale" + suffix. `scaled`: the graph stores them as int8 with
// a scale for each row.
void AddExpectedFeatures(const std::string& name, const std::string& suffix,
                         std::vector<uint64_t> dims,
                         const std::vector<float>& values, bool scaled,
                         FeatureDType asked, ExpectedTensors* tensors);

// Adds in_degree and out_degree of an edge type: how many of all its `edges`,
// (source, destination), end at each of `dst_ids` and begin at each of
// `src_ids`.
void AddExpectedDegrees(const std::vector<std::pair<int64_t, int64_t>>& edges,
                        const std::string& suffix,
                        const std::vector<int64_t>& src_ids,
                        const std::vector<int64_t>& dst_ids,
                        ExpectedTensors* tensors);

// Returns the batch digest of the tensors, in hexadecimal.
std::string DigestOf(const ExpectedTensors& tensors);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_TENSORS_H_
