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

struct OracleTensor {
  DType dtype;
  std::vector<uint64_t> dims;
  std::string bytes;
};

using OracleTensors = std::map<std::string, OracleTensor>;  // by name

template <typename T>
OracleTensor MakeOracleTensor(DType dtype, std::vector<uint64_t> dims,
                              const std::vector<T>& values) {
  return {dtype, std::move(dims),
          std::string(reinterpret_cast<const char*>(values.data()),
                      values.size() * sizeof(T))};
}

// Rows of features in the precision asked for: name + suffix and, of int8,
// name + "_scale" + suffix.
void AddOracleFeatures(const std::string& name, const std::string& suffix,
                       std::vector<uint64_t> dims,
                       const std::vector<float>& values, FeatureDType asked,
                       OracleTensors* tensors);

// In hexadecimal digits.
std::string DigestOf(const OracleTensors& tensors);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_TENSORS_H_
