#include "trainer_client/torch/tasks/entity_ranking.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/tasks/ranking_metrics.h"

namespace tributary {
namespace {

// Scores of one block, and at most this many links: more make no product of
// matrices faster.
constexpr int64_t kMaxScores = int64_t{4} << 20;
constexpr int64_t kMaxLinks = 256;

// Links of one relation that are scored together.
struct Block {
  uint32_t relation = 0;
  LinkEnd asked = LinkEnd::kSource;
  int64_t candidates = 0;
  absl::Span<const size_t> links;  // numbers in the list
};

// The links by relation, in the order of the list.
std::vector<size_t> ByRelation(const TypedLinks& links) {
  std::vector<size_t> order(links.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return links.relation[a] < links.relation[b];
  });
  return order;
}

void AddBlocks(uint32_t relation, const RelationEnds& ends,
               absl::Span<const size_t> links, std::vector<Block>* blocks) {
  for (const LinkEnd asked : {LinkEnd::kDestination, LinkEnd::kSource}) {
    const int64_t candidates =
        asked == LinkEnd::kSource ? ends.sources : ends.destinations;
    const auto rows = static_cast<size_t>(std::clamp<int64_t>(
        kMaxScores / std::max<int64_t>(1, candidates), 1, kMaxLinks));
    for (size_t at = 0; at < links.size(); at += rows) {
      blocks->push_back({relation, asked, candidates, links.subspan(at, rows)});
    }
  }
}

absl::StatusOr<std::vector<Block>> BlocksOf(const EntityRanking& ranking,
                                            absl::Span<const size_t> order) {
  const std::vector<uint32_t>& relation = ranking.links->relation;
  std::vector<Block> blocks;
  for (size_t from = 0; from < order.size();) {
    const uint32_t r = relation[order[from]];
    if (r >= ranking.relations.size()) {
      return absl::OutOfRangeError(
          absl::StrCat("a link is of relation ", r, "; allowed: 0 to ",
                       static_cast<int64_t>(ranking.relations.size()) - 1));
    }
    size_t to = from;
    while (to < order.size() && relation[order[to]] == r) ++to;
    AddBlocks(r, ranking.relations[r], order.subspan(from, to - from), &blocks);
    from = to;
  }
  return blocks;
}

// Ranks the links of some blocks.
class Ranker {
 public:
  Ranker(const EntityRanking& ranking, CandidateScorer& scorer)
      : ranking_(ranking), scorer_(scorer) {}

  absl::Status Add(const Block& block) {
    const TypedLinks& links = *ranking_.links;
    const bool source = block.asked == LinkEnd::kSource;
    const std::vector<int64_t>& from =
        source ? links.destination : links.source;
    const std::vector<int64_t>& to = source ? links.source : links.destination;
    std::vector<int64_t> given;
    for (const size_t link : block.links) given.push_back(from[link]);
    scores_.resize(given.size() * static_cast<size_t>(block.candidates));
    RETURN_IF_ERROR(scorer_.Score(block.relation, block.asked, given,
                                  absl::MakeSpan(scores_)));
    for (size_t i = 0; i < given.size(); ++i) {
      const auto row = absl::MakeConstSpan(scores_).subspan(
          i * block.candidates, block.candidates);
      ASSIGN_OR_RETURN(const double rank,
                       FilteredRank(row, to[block.links[i]],
                                    ranking_.known->Of(block.relation,
                                                       block.asked, given[i])));
      places_.push_back(static_cast<double>(2 * block.links[i] + source));
      ranks_.push_back(rank);
    }
    return absl::OkStatus();
  }

  // Returns those of all ranks, in the order of the links.
  absl::StatusOr<std::vector<double>> Gather(ProcessGroup& group) {
    ASSIGN_OR_RETURN(const std::vector<double> places, group.Gather(places_));
    ASSIGN_OR_RETURN(const std::vector<double> ranks, group.Gather(ranks_));
    std::vector<double> all(2 * ranking_.links->size());
    if (places.size() != all.size() || ranks.size() != all.size()) {
      return absl::InternalError(
          absl::StrCat(ranks.size(), " ranks of ", ranking_.links->size(),
                       " links; the ranks of the job have different links"));
    }
    for (size_t i = 0; i < all.size(); ++i) {
      all[static_cast<size_t>(places[i])] = ranks[i];
    }
    return all;
  }

 private:
  const EntityRanking& ranking_;
  CandidateScorer& scorer_;
  std::vector<float> scores_;
  std::vector<double> places_;  // 2 x link, + 1 for its source
  std::vector<double> ranks_;
};

absl::StatusOr<RankSummary> Summarize(absl::Span<const double> ranks) {
  RankSummary summary;
  ASSIGN_OR_RETURN(summary.mrr, MeanReciprocalRank(ranks));
  ASSIGN_OR_RETURN(summary.hits_at_1, HitsOfRanks(ranks, 1));
  ASSIGN_OR_RETURN(summary.hits_at_3, HitsOfRanks(ranks, 3));
  ASSIGN_OR_RETURN(summary.hits_at_10, HitsOfRanks(ranks, 10));
  summary.mean_rank = std::accumulate(ranks.begin(), ranks.end(), 0.0) /
                      static_cast<double>(ranks.size());
  return summary;
}

}  // namespace

absl::StatusOr<RankSummary> RankAmongAll(
    const EntityRanking& ranking, CandidateScorer& scorer, ProcessGroup& group,
    const std::function<absl::Status(uint64_t, uint64_t)>& progress) {
  const std::vector<size_t> order = ByRelation(*ranking.links);
  ASSIGN_OR_RETURN(const std::vector<Block> blocks, BlocksOf(ranking, order));
  const auto world = static_cast<size_t>(group.world());
  const size_t rounds = (blocks.size() + world - 1) / world;
  Ranker ranker(ranking, scorer);
  for (size_t round = 0; round < rounds; ++round) {
    const size_t own = round * world + static_cast<size_t>(group.rank());
    if (own < blocks.size()) RETURN_IF_ERROR(ranker.Add(blocks[own]));
    // A rank that waits gives up after a while: none may run ahead.
    std::array<double, 1> done{1};
    RETURN_IF_ERROR(group.Sum(absl::MakeSpan(done)));
    RETURN_IF_ERROR(progress(round + 1, rounds));
  }
  ASSIGN_OR_RETURN(const std::vector<double> ranks, ranker.Gather(group));
  return Summarize(ranks);
}

}  // namespace tributary
