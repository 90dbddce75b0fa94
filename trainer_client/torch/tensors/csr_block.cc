#include "trainer_client/torch/tensors/csr_block.h"

#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns the prefix sums: the first is 0, the last the total.
std::vector<int64_t> Offsets(absl::Span<const int64_t> counts) {
  std::vector<int64_t> offsets(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), offsets.begin() + 1);
  return offsets;
}

absl::Status CheckCounts(const SampledHops& hops) {
  for (absl::Span<const int64_t> counts : {hops.nodes, hops.edges}) {
    for (int64_t n : counts) {
      if (n < 0) return absl::InvalidArgumentError("a count below 0");
    }
  }
  const int64_t edges =
      std::accumulate(hops.edges.begin(), hops.edges.end(), int64_t{0});
  if (hops.nodes.size() != hops.edges.size() + 1 ||
      hops.src.size() != hops.dst.size() ||
      edges != static_cast<int64_t>(hops.src.size()) ||
      edges > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("hops of ", hops.nodes.size(), " node and ",
                     hops.edges.size(), " edge counts over ", hops.src.size(),
                     " and ", hops.dst.size(), " end points do not agree"));
  }
  return absl::OkStatus();
}

absl::StatusOr<CsrBlock> MakeBlock(absl::Span<const int32_t> src,
                                   absl::Span<const int32_t> dst,
                                   int64_t num_src, int64_t num_dst) {
  CsrBlock block{.num_src = num_src, .num_dst = num_dst};
  block.indptr.assign(num_dst + 1, 0);
  block.src.resize(src.size());
  for (size_t e = 0; e < src.size(); ++e) {
    if (src[e] < 0 || src[e] >= num_src || dst[e] < 0 || dst[e] >= num_dst) {
      return absl::InvalidArgumentError(absl::StrCat(
          "edge ", e, " is ", src[e], " -> ", dst[e], ", allowed are ", num_src,
          " sources and ", num_dst, " destinations"));
    }
    ++block.indptr[dst[e] + 1];
  }
  std::partial_sum(block.indptr.begin(), block.indptr.end(),
                   block.indptr.begin());
  std::vector<int32_t> next(block.indptr.begin(), block.indptr.end() - 1);
  for (size_t e = 0; e < src.size(); ++e) block.src[next[dst[e]]++] = src[e];
  return block;
}

}  // namespace

absl::StatusOr<std::vector<CsrBlock>> LayerBlocks(const SampledHops& hops) {
  RETURN_IF_ERROR(CheckCounts(hops));
  const size_t layers = hops.edges.size();
  const std::vector<int64_t> nodes = Offsets(hops.nodes);
  const std::vector<int64_t> edges = Offsets(hops.edges);
  std::vector<CsrBlock> blocks;
  for (size_t layer = 0; layer < layers; ++layer) {
    const size_t hop = layers - 1 - layer;  // the last hop that the layer reads
    const int64_t from = hops.expand_all ? edges[hop] : 0;
    const int64_t count = edges[hop + 1] - from;
    ASSIGN_OR_RETURN(CsrBlock block, MakeBlock(hops.src.subspan(from, count),
                                               hops.dst.subspan(from, count),
                                               nodes[hop + 2], nodes[hop + 1]));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace tributary
