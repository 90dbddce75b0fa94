#include "trainer_client/torch/train/link_ranking.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/train/batch_rounds.h"
#include "trainer_client/torch/train/learner.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {
namespace {

// Values of rows that are summed at a time: 8 MB as doubles.
constexpr size_t kSummedValues = size_t{1} << 20;

absl::Status AddLinks(const HeteroBatch& batch, const GraphSchema& schema,
                      const std::string& name, uint32_t relation,
                      TypedLinks* links) {
  const auto of_type = batch.links.find(name);
  if (of_type == batch.links.end()) return absl::OkStatus();
  const int at = schema.heterogeneous ? schema.FindEdgeType(name) : 0;
  const EdgeTypeSchema& type = schema.edge_types.at(static_cast<size_t>(at));
  const auto from = batch.nodes.find(schema.heterogeneous ? type.src : "node");
  const auto to = batch.nodes.find(schema.heterogeneous ? type.dst : "node");
  const auto& index = of_type->second.edge_label_index;
  if (!index.has_value() || from == batch.nodes.end() ||
      to == batch.nodes.end()) {
    return absl::DataLossError(absl::StrCat(
        "a batch of links of ", name, " has no edge_label_index or no nodes"));
  }
  const absl::Span<const int32_t> rows = index->As<int32_t>();
  const size_t n = rows.size() / 2;
  for (size_t i = 0; i < n; ++i) {
    links->Add(relation, from->second.n_id[rows[i]],
               to->second.n_id[rows[n + i]]);
  }
  return absl::OkStatus();
}

// Sums rows of the ranks, of which one has a node's row and the others zeros.
absl::Status SumRows(ProcessGroup& group, std::vector<float>& rows) {
  if (group.world() == 1) return absl::OkStatus();
  for (size_t at = 0; at < rows.size(); at += kSummedValues) {
    const size_t n = std::min(kSummedValues, rows.size() - at);
    std::vector<double> values(rows.begin() + at, rows.begin() + at + n);
    RETURN_IF_ERROR(group.Sum(absl::MakeSpan(values)));
    std::copy(values.begin(), values.end(), rows.begin() + at);
  }
  return absl::OkStatus();
}

// Agrees on the channels, which a rank without a batch does not know.
absl::Status AgreeOnShape(ProcessGroup& group, EntityRows* rows) {
  std::array<double, 1> channels{static_cast<double>(rows->channels)};
  RETURN_IF_ERROR(group.Max(absl::MakeSpan(channels)));
  rows->channels = static_cast<int64_t>(channels[0]);
  return absl::OkStatus();
}

}  // namespace

LinkRanking::LinkRanking(const RankingLoaders& loaders,
                         const GraphSchema& schema)
    : loaders_(loaders), schema_(schema) {
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    const EdgeTypeSchema& type = schema.edge_types[t];
    relation_names_.push_back(schema.heterogeneous ? type.name()
                                                   : "node,to,node");
    relations_.push_back({schema.node_types[type.src_type].num_nodes,
                          schema.node_types[type.dst_type].num_nodes});
  }
}

absl::StatusOr<std::unique_ptr<LinkRanking>> LinkRanking::Read(
    const RankingLoaders& loaders, const Progress& progress) {
  std::unique_ptr<LinkRanking> ranking(
      new LinkRanking(loaders, loaders.train->schema()));
  const std::array<DistLoader*, 3> splits{loaders.train, loaders.valid,
                                          loaders.test};
  for (size_t i = 0; i < splits.size(); ++i) {
    if (splits[i] == nullptr) continue;
    RETURN_IF_ERROR(
        ranking->ReadSplit(splits[i], progress, &ranking->links_[i]));
  }
  if (loaders.release_links) loaders.release_links();
  std::vector<const TypedLinks*> all;
  for (const TypedLinks& links : ranking->links_) all.push_back(&links);
  ranking->known_ = std::make_unique<const KnownAnswers>(all);
  return ranking;
}

absl::Status LinkRanking::ReadSplit(DistLoader* loader,
                                    const Progress& progress,
                                    TypedLinks* links) {
  RETURN_IF_ERROR(loader->StartEpoch(0));
  for (uint64_t done = 0;;) {
    ASSIGN_OR_RETURN(const std::optional<BatchLease> lease, loader->Next());
    if (!lease) break;
    ASSIGN_OR_RETURN(const HeteroBatch batch,
                     ToTypedBatch(lease->view(), schema_));
    for (size_t r = 0; r < relation_names_.size(); ++r) {
      RETURN_IF_ERROR(AddLinks(batch, schema_, relation_names_[r],
                               static_cast<uint32_t>(r), links));
    }
    RETURN_IF_ERROR(progress(++done, loader->num_batches()));
  }
  return absl::OkStatus();
}

absl::StatusOr<RankSummary> LinkRanking::Rank(Split split,
                                              CandidateScorer& scorer,
                                              ProcessGroup& group,
                                              const Progress& progress) const {
  return RankAmongAll({.links = &LinksOf(split),
                       .known = known_.get(),
                       .relations = relations_},
                      scorer, group, progress);
}

absl::StatusOr<EntityRows> LinkRanking::RowsOfAllNodes(
    Learner& learner, ProcessGroup& group, const Progress& progress) {
  EntityRows rows;
  for (const NodeTypeSchema& type : schema_.node_types) {
    rows.num_nodes.push_back(type.num_nodes);
  }
  rows.by_type.resize(rows.num_nodes.size());
  for (size_t t = 0; t < loaders_.entities.size(); ++t) {
    DistLoader* const loader = loaders_.entities[t];
    if (loader == nullptr) continue;
    // A run that is asked to end has cancelled its loader.
    const absl::Status begun = loader->StartEpoch(0);
    if (!absl::IsCancelled(begun)) RETURN_IF_ERROR(begun);
    RETURN_IF_ERROR(progress(0, loader->num_batches()));
    RETURN_IF_ERROR(begun);
    BatchRounds rounds(loader, group.rank(), group.world(),
                       loaders_.stop_requested);
    for (uint64_t round = 0; round < rounds.count(); ++round) {
      ASSIGN_OR_RETURN(const std::optional<BatchLease> lease,
                       rounds.Batch(round));
      if (lease) RETURN_IF_ERROR(learner.Embed(*lease, &rows));
      RETURN_IF_ERROR(AgreeOnShape(group, &rows));
      RETURN_IF_ERROR(progress(round + 1, rounds.count()));
    }
    rows.by_type[t].resize(
        static_cast<size_t>(rows.num_nodes[t] * rows.channels));
    RETURN_IF_ERROR(SumRows(group, rows.by_type[t]));
  }
  return rows;
}

absl::StatusOr<RankSummary> LinkRanking::RankByModel(Split split,
                                                     Learner& learner,
                                                     ProcessGroup& group,
                                                     const Progress& progress) {
  ASSIGN_OR_RETURN(const EntityRows rows,
                   RowsOfAllNodes(learner, group, progress));
  ASSIGN_OR_RETURN(const std::unique_ptr<CandidateScorer> scorer,
                   learner.Candidates(rows));
  return Rank(split, *scorer, group, progress);
}

void SetTestRanks(const RankSummary& ranks, TrainResult* result) {
  result->test = ranks.mrr;
  result->test_details = {{"filtered-hits@1", ranks.hits_at_1},
                          {"filtered-hits@3", ranks.hits_at_3},
                          {"filtered-hits@10", ranks.hits_at_10},
                          {"filtered-mean-rank", ranks.mean_rank}};
}

}  // namespace tributary
