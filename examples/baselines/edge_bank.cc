#include "examples/baselines/edge_bank.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr float kNoNegative = std::numeric_limits<float>::quiet_NaN();
// As link_task.h: numbers of links of different types differ.
constexpr int kInputBits = 36;

absl::Status Lacks(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("EdgeBank: the batch's links have no ", what,
                   "; allowed: links with times and negatives"));
}

// Checks that rows of links have as many columns as those before.
absl::Status SetColumns(size_t columns, PredictionRows* rows) {
  if (!rows->input_numbers.empty() && rows->columns != columns) {
    return absl::InvalidArgumentError(
        absl::StrCat("EdgeBank: a batch has ", columns - 1,
                     " negatives per link, others have ", rows->columns - 1,
                     "; allowed: as many in all batches"));
  }
  rows->columns = columns;
  return absl::OkStatus();
}

}  // namespace

absl::Status EdgeBank::Predict(const HeteroBatch& batch,
                               PredictionRows* rows) const {
  if (batch.links.empty()) {
    return absl::InvalidArgumentError("EdgeBank: the batch has no links");
  }
  uint64_t type_number = 0;
  for (const auto& [type, links] : batch.links) {
    const uint64_t first = type_number++ << kInputBits;
    if (links.input_id.empty()) continue;
    ASSIGN_OR_RETURN(const Memory memory, Remember(type, batch));
    RETURN_IF_ERROR(links.dst_neg_index ? AddTriplets(links, memory, rows)
                                        : AddPairs(links, memory, rows));
    for (const int64_t id : links.input_id) {
      rows->input_numbers.push_back(first + static_cast<uint64_t>(id));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<EdgeBank::Memory> EdgeBank::Remember(
    const std::string& type, const HeteroBatch& batch) const {
  Memory memory;
  const auto found = batch.edges.find(type);
  if (found == batch.edges.end()) return memory;
  const HeteroEdges& edges = found->second;
  const auto times = times_.find(type);
  for (size_t i = 0; i < edges.e_id.size(); ++i) {
    const int64_t id = edges.e_id[i];
    if (reverse_ids_ && id % 2 != 0) continue;
    int64_t time = 0;
    if (options_.window) {
      if (times == times_.end() ||
          static_cast<uint64_t>(id) >= times->second->size()) {
        return absl::OutOfRangeError(
            absl::StrCat("EdgeBank: no time of edge ", id, " of type ", type));
      }
      time = (*times->second)[static_cast<size_t>(id)];
    }
    const auto [at, is_new] =
        memory.try_emplace({edges.src[i], edges.dst[i]}, time);
    if (!is_new) at->second = std::max(at->second, time);
  }
  return memory;
}

bool EdgeBank::Knows(const Memory& memory, int32_t src, int32_t dst,
                     int64_t time) const {
  const auto at = memory.find({src, dst});
  if (at == memory.end()) return false;
  // Sampled edges are earlier, so the difference is not negative.
  return !options_.window ||
         static_cast<uint64_t>(time) - static_cast<uint64_t>(at->second) <=
             static_cast<uint64_t>(*options_.window);
}

absl::Status EdgeBank::AddPairs(const HeteroLinks& links, const Memory& memory,
                                PredictionRows* rows) const {
  if (!links.edge_label_index) return Lacks("ends");
  if (!links.edge_label_time) return Lacks("times");
  const auto ends = links.edge_label_index->As<int32_t>();
  const auto times = links.edge_label_time->As<int64_t>();
  const size_t n = links.input_id.size(), all = ends.size() / 2;
  if (all <= n) return Lacks("negatives");
  RETURN_IF_ERROR(SetColumns((all + n - 1) / n, rows));
  // Negative j is of link j mod n.
  for (size_t i = 0; i < n; ++i) {
    for (size_t column = 0; column < rows->columns; ++column) {
      const size_t pair = column * n + i;
      const bool missing = pair >= all;
      rows->labels.push_back(missing ? kNoNegative : column == 0);
      rows->predictions.push_back(
          missing ? kNoNegative
                  : Knows(memory, ends[pair], ends[all + pair], times[pair]));
    }
  }
  return absl::OkStatus();
}

absl::Status EdgeBank::AddTriplets(const HeteroLinks& links,
                                   const Memory& memory,
                                   PredictionRows* rows) const {
  if (!links.src_index || !links.dst_pos_index) return Lacks("ends");
  if (!links.seed_time) return Lacks("times");
  const auto src = links.src_index->As<int32_t>();
  const auto dst = links.dst_pos_index->As<int32_t>();
  const auto negatives = links.dst_neg_index->As<int32_t>();
  const auto times = links.seed_time->As<int64_t>();
  const size_t amount = negatives.size() / src.size();
  if (amount == 0) return Lacks("negatives");
  RETURN_IF_ERROR(SetColumns(1 + amount, rows));
  for (size_t i = 0; i < src.size(); ++i) {
    rows->labels.push_back(1);
    rows->predictions.push_back(Knows(memory, src[i], dst[i], times[i]));
    for (size_t k = 0; k < amount; ++k) {
      rows->labels.push_back(0);
      rows->predictions.push_back(
          Knows(memory, src[i], negatives[i * amount + k], times[i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace tributary
