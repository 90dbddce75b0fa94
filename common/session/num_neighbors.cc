#include "common/session/num_neighbors.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/session/limits.h"
#include "common/session/refuse.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::StatusOr<std::vector<int32_t>> ParseFanouts(absl::string_view text) {
  std::vector<int32_t> fanouts;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<int32_t> fanout = ParseNumber<int32_t>(part);
    if (!fanout) {
      return Refuse("num_neighbors: '", part, "' in '", text,
                    "' is no number; allowed: -1 (all) to ", kMaxFanout,
                    " per hop, separated by commas");
    }
    fanouts.push_back(*fanout);
  }
  return fanouts;
}

absl::Status ParseEntry(absl::string_view entry, bool first,
                        NumNeighbors* result) {
  const size_t equals = entry.rfind('=');
  if (equals == absl::string_view::npos) {
    if (!first) {
      return Refuse("num_neighbors: '", entry,
                    "' names no edge type; allowed: src,rel,dst=2,1");
    }
    ASSIGN_OR_RETURN(result->by_default, ParseFanouts(entry));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto fanouts, ParseFanouts(entry.substr(equals + 1)));
  const std::string type(entry.substr(0, equals));
  if (!result->by_edge_type.emplace(type, std::move(fanouts)).second) {
    return Refuse("num_neighbors: edge type ", type, " is named twice");
  }
  return absl::OkStatus();
}

absl::Status CheckFanouts(absl::string_view whose,
                          const std::vector<int32_t>& fanouts,
                          size_t num_hops) {
  if (fanouts.size() != num_hops) {
    return Refuse("num_neighbors: ", whose, " has ", fanouts.size(),
                  " hops, others ", num_hops, "; allowed: one length for all");
  }
  for (int32_t fanout : fanouts) {
    if (fanout >= -1 && fanout <= kMaxFanout) continue;
    return Refuse("num_neighbors: ", whose, " has ", fanout,
                  "; allowed: -1 (all) to ", kMaxFanout);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NumNeighbors> ParseNumNeighbors(std::string_view text) {
  NumNeighbors result;
  bool first = true;
  const absl::string_view view(text.data(), text.size());
  for (absl::string_view entry : absl::StrSplit(view, ';')) {
    RETURN_IF_ERROR(ParseEntry(entry, first, &result));
    first = false;
  }
  return result;
}

std::string NumNeighborsText(const NumNeighbors& neighbors) {
  std::string text = absl::StrJoin(neighbors.by_default, ",");
  for (const auto& [type, fanouts] : neighbors.by_edge_type) {
    absl::StrAppend(&text, text.empty() ? "" : ";", type, "=",
                    absl::StrJoin(fanouts, ","));
  }
  return text;
}

absl::Status CheckNumNeighbors(const NumNeighbors& neighbors) {
  const size_t hops = neighbors.hops();
  if (hops < 1 || hops > static_cast<size_t>(kMaxHops)) {
    return Refuse("num_neighbors: ", hops, " hops; allowed: 1 to ", kMaxHops);
  }
  if (!neighbors.by_default.empty()) {
    RETURN_IF_ERROR(CheckFanouts("the default", neighbors.by_default, hops));
  }
  for (const auto& [type, fanouts] : neighbors.by_edge_type) {
    RETURN_IF_ERROR(CheckFanouts(type, fanouts, hops));
  }
  return absl::OkStatus();
}

}  // namespace tributary
