// Metrics of link prediction, as the Open Graph Benchmark's evaluator defines
// them (ogb.linkproppred), and filtered ranks of knowledge graphs.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_RANKING_METRICS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_RANKING_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// All functions here return INVALID_ARGUMENT, naming the score, if one is NaN.

// Returns Hits@k: the share of positives that score strictly higher than the
// k-th highest negative. All positives share the negatives. 1 if there are
// fewer than k negatives. FAILED_PRECONDITION without positives.
absl::StatusOr<double> HitsAtK(absl::Span<const float> positives,
                               absl::Span<const float> negatives, size_t k);

// Returns the rank of each positive among its own negatives, from 1. Row i of
// `negatives`, [positives, negatives_per_positive], belongs to positive i.
// Among equal scores the rank is the mean of the optimistic one (all of them
// lower) and the pessimistic one (all of them higher), so it may end in .5.
absl::StatusOr<std::vector<double>> RanksAmongNegatives(
    absl::Span<const float> positives, absl::Span<const float> negatives,
    size_t negatives_per_positive);

// Returns the filtered rank of the true entity among all candidates: those in
// `known`, which complete other true triples, are left out. `scores` has one
// score for each entity; `known` holds entities, in any order, and may contain
// `truth`. Equal scores as in RanksAmongNegatives. OUT_OF_RANGE, naming the
// entity, if it has no score.
absl::StatusOr<double> FilteredRank(absl::Span<const float> scores,
                                    int64_t truth,
                                    absl::Span<const int64_t> known);

// Return the mean of 1 / rank, and the share of ranks of at most k. Sums run in
// the order of the ranks: put them in InputOrder() for results that do not
// depend on the number of ranks of the job. FAILED_PRECONDITION for no ranks.
absl::StatusOr<double> MeanReciprocalRank(absl::Span<const double> ranks);
absl::StatusOr<double> HitsOfRanks(absl::Span<const double> ranks, size_t k);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_RANKING_METRICS_H_
