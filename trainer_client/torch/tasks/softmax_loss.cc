#include "trainer_client/torch/tasks/softmax_loss.h"

#include <ATen/ATen.h>

#include <map>
#include <utility>
#include <vector>

#include "trainer_client/torch/nn/dropout/keyed_dropout.h"

namespace tributary {
namespace {

// Distinguishes the draws of both asked ends.
constexpr uint64_t kSoftmaxDraws = uint64_t{1} << 21;

// Links between two node types, of any relations: rows of both ends.
struct Links {
  std::vector<at::Tensor> relation, src, dst;

  void Add(const LinkLabels& links) {
    const int64_t n = links.input_id.numel();
    if (n == 0) return;
    relation.push_back(
        at::full({n}, static_cast<int64_t>(links.relation), at::kLong));
    const bool triplet = links.dst_neg_index.defined();
    src.push_back(triplet ? links.src_index
                          : links.edge_label_index[0].slice(0, 0, n));
    dst.push_back(triplet ? links.dst_pos_index
                          : links.edge_label_index[1].slice(0, 0, n));
  }
};

// The sum of the cross entropies of `answer` among all rows of `candidates`.
at::Tensor CrossEntropy(LinkScorer& scorer, const at::Tensor& relation,
                        const at::Tensor& given, const at::Tensor& candidates,
                        const at::Tensor& answer, uint64_t draw_key) {
  return at::cross_entropy_loss(
      scorer.ScoreAll(relation, given, candidates, draw_key), answer, {},
      at::Reduction::Sum);
}

}  // namespace

at::Tensor SoftmaxLoss(const MiniBatch& batch, const TypeTable& types,
                       const TypeTensors& out, LinkScorer& scorer) {
  std::map<std::pair<size_t, size_t>, Links> by_types;
  for (const LinkLabels& links : batch.links) {
    const TypeTable::Relation& relation = types.relations.at(links.relation);
    by_types[{relation.src_type, relation.dst_type}].Add(links);
  }
  at::Tensor sum;
  for (const auto& [ends, links] : by_types) {
    if (links.relation.empty()) continue;
    const at::Tensor relation = at::cat(links.relation);
    const at::Tensor src = at::cat(links.src);
    const at::Tensor dst = at::cat(links.dst);
    const at::Tensor& sources = out.at(ends.first);
    const at::Tensor& destinations = out.at(ends.second);
    const at::Tensor both =
        CrossEntropy(scorer, relation, sources.index_select(0, src),
                     destinations, dst,
                     LayerDrawKey(batch.draw_key, kSoftmaxDraws, 0)) +
        CrossEntropy(scorer, relation, destinations.index_select(0, dst),
                     sources, src,
                     LayerDrawKey(batch.draw_key, kSoftmaxDraws, 1));
    sum = sum.defined() ? sum + both / 2 : both / 2;
  }
  return sum;
}

}  // namespace tributary
