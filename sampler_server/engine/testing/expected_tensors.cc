#include "sampler_server/engine/testing/expected_tensors.h"

#include "common/hash/sha256.h"
#include "common/tensor/testing/defined_features.h"

namespace tributary {

void AddExpectedFeatures(const std::string& name, const std::string& suffix,
                         std::vector<uint64_t> dims,
                         const std::vector<float>& values, bool scaled,
                         FeatureDType asked, ExpectedTensors* tensors) {
  // Int8 of a scaled graph is what it stores: that of the values.
  DefinedFeatures made =
      scaled && asked != FeatureDType::kInt8
          ? DefineFeatures(DefineScaledNumbers(values, dims[1]), dims[1], asked)
          : DefineFeatures(values, dims[1], asked);
  if (made.dtype == DType::kInt8) {
    (*tensors)[name + "_scale" + suffix] =
        MakeExpectedTensor(DType::kFloat32, {dims[0]}, made.scales);
  }
  (*tensors)[name + suffix] = {made.dtype, std::move(dims),
                               std::move(made.bytes)};
}

void AddExpectedDegrees(const std::vector<std::pair<int64_t, int64_t>>& edges,
                        const std::string& suffix,
                        const std::vector<int64_t>& src_ids,
                        const std::vector<int64_t>& dst_ids,
                        ExpectedTensors* tensors) {
  std::map<int64_t, int64_t> out, in;
  for (const auto& [u, v] : edges) ++out[u], ++in[v];
  const auto add = [&](const std::string& name,
                       const std::vector<int64_t>& nodes,
                       std::map<int64_t, int64_t>& degree) {
    std::vector<int64_t> values;
    for (const int64_t node : nodes) values.push_back(degree[node]);
    (*tensors)[name + suffix] =
        MakeExpectedTensor(DType::kInt64, {nodes.size()}, values);
  };
  add("in_degree", dst_ids, in);
  add("out_degree", src_ids, out);
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
