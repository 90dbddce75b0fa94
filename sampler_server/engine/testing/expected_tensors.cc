#include "sampler_server/engine/testing/expected_tensors.h"

#include "common/hash/sha256.h"
#include "sampler_server/engine/testing/defined_features.h"

namespace tributary {

void AddExpectedFeatures(const std::string& name, const std::string& suffix,
                         std::vector<uint64_t> dims,
                         const std::vector<float>& values, FeatureDType asked,
                         ExpectedTensors* tensors) {
  DefinedFeatures made = DefineFeatures(values, dims[1], asked);
  if (made.dtype == DType::kInt8) {
    (*tensors)[name + "_scale" + suffix] =
        MakeExpectedTensor(DType::kFloat32, {dims[0]}, made.scales);
  }
  (*tensors)[name + suffix] = {made.dtype, std::move(dims),
                               std::move(made.bytes)};
}

std::string DigestOf(const ExpectedTensors& tensors) {
  Sha256 sha;
  for (const auto& [name, tensor] : tensors) {  // names ascend
    sha.UpdateU32(static_cast<uint32_t>(name.size()));
    sha.Update(name);
    sha.UpdateU8(static_cast<uint8_t>(tensor.dtype));
    sha.UpdateU8(static_cast<uint8_t>(tensor.dims.size()));
    for (const uint64_t dim : tensor.dims) sha.UpdateU64(dim);
    sha.Update(tensor.bytes);
  }
  return ToHex(sha.Finish());
}

}  // namespace tributary
