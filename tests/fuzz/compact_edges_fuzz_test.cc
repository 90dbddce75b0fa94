// Fuzzes the expansion of compact edges: any block is a tensor's, on every
// instruction set the same one, or refused, and nothing beside the tensor is
// read or written.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "common/batch/compact/compact_expander.h"
#include "common/batch/compact/compact_path.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr uint64_t kNumNodes = 5000;
constexpr size_t kMostBytes = size_t{1} << 16;

// Memory of exactly so many bytes, so that AddressSanitizer sees every other
// access.
struct Tensor {
  explicit Tensor(size_t size)
      : bytes(new uint64_t[(size + 7) / 8]()), size(size) {}
  absl::Span<uint8_t> span() const {
    return {reinterpret_cast<uint8_t*>(bytes.get()), size};
  }
  std::unique_ptr<uint64_t[]> bytes;
  size_t size;
};

bool Expand(bool ids, size_t left_out, const CompactPath& path,
            const Tensor& tensor) {
  auto expander =
      ids ? ExpandEdgeIds(tensor.span(), left_out, path)
          : ExpandEdgeIndex(tensor.span(), left_out, kNumNodes, path);
  if (!expander.ok()) return false;
  size_t steps = 0;
  while (!(*expander)->done()) {
    Must(++steps <= 2 * tensor.size + 2, "it ends");
    if (!(*expander)->Step().ok()) return false;
  }
  return true;
}

}  // namespace

// The first byte says which tensor, the next two how many bytes are left out;
// the rest is the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const bool ids = data[0] % 2 != 0;
  const size_t left_out = (size_t{data[1]} | size_t{data[2]} << 8) * 64;
  const absl::Span<const uint8_t> block(data + 3, size - 3);
  const size_t bytes = (left_out + block.size()) / 8 * 8;
  if (bytes > kMostBytes || bytes < left_out) return 0;
  std::vector<std::vector<uint8_t>> results;
  for (const CompactPath& path : CompactPaths()) {
    const Tensor tensor(bytes);
    std::copy_n(block.begin(), bytes - left_out,
                tensor.span().begin() + left_out);
    if (!Expand(ids, left_out, path, tensor)) {
      results.emplace_back();
      continue;
    }
    results.emplace_back(tensor.span().begin(), tensor.span().end());
    for (size_t i = 0; !ids && i < bytes; i += sizeof(uint32_t)) {
      uint32_t node = 0;
      std::memcpy(&node, results.back().data() + i, sizeof(node));
      Must(node < kNumNodes, "every end is a node");
    }
  }
  for (const auto& result : results) {
    Must(result == results[0], "instruction sets agree");
  }
  return 0;
}

}  // namespace tributary
