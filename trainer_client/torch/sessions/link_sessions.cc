#include "trainer_client/torch/sessions/link_sessions.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kNegatives[] = "_neg";

absl::Status BadSplits(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--input is \"", text,
      "\", allowed with --task link: [SRC,REL,DST:]TRAIN[,VALID[,TEST]]; of "
      "several types, each once: A,R,B:TRAIN,VALID;C,S,D:TRAIN"));
}

absl::StatusOr<LinkSplits> ParseOne(absl::string_view text, bool several) {
  LinkSplits splits;
  const size_t colon = text.rfind(':');
  if (colon != absl::string_view::npos) {
    splits.edge_type = std::string(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    const std::vector<std::string> parts =
        absl::StrSplit(splits.edge_type, ',');
    if (parts.size() != 3 || absl::c_linear_search(parts, "")) {
      return BadSplits(text);
    }
  } else if (several) {
    return BadSplits(text);
  }
  const std::vector<std::string> names = absl::StrSplit(text, ',');
  if (names.size() > 3 || names[0].empty()) {
    return BadSplits(text);
  }
  splits.train = names[0];
  if (names.size() > 1) splits.valid = names[1];
  if (names.size() > 2) splits.test = names[2];
  return splits;
}

// The name of an edge type as the schema has it.
std::string TypeIn(const GraphSchema& schema, const LinkSplits& splits) {
  if (!splits.edge_type.empty() || schema.edge_types.empty()) {
    return splits.edge_type;
  }
  return schema.edge_types[0].name();
}

bool HasReverse(const GraphSchema& schema, const std::string& name) {
  const int type = schema.FindEdgeType(name);
  if (type < 0) return false;
  const EdgeTypeSchema& edge = schema.edge_types[static_cast<size_t>(type)];
  return schema.FindEdgeType(
             absl::StrCat(edge.dst, ",rev_", edge.rel, ",", edge.src)) >= 0;
}

// Whether no edge of a link's time can be sampled for it.
bool SeesOnlyThePast(const DrawOptions& draws) {
  return draws.time == TimeMode::kEdge && draws.strict;
}

}  // namespace

absl::StatusOr<std::vector<LinkSplits>> ParseLinkSplits(
    const std::string& text) {
  std::vector<LinkSplits> types;
  const std::vector<std::string> entries = absl::StrSplit(text, ';');
  for (const std::string& entry : entries) {
    const absl::StatusOr<LinkSplits> one = ParseOne(entry, entries.size() > 1);
    if (!one.ok()) return BadSplits(text);
    for (const LinkSplits& other : types) {
      if (other.edge_type == one->edge_type) {
        return BadSplits(text);
      }
    }
    types.push_back(*one);
  }
  return types;
}

bool HasReverseIds(const GraphSchema& schema) {
  return !schema.heterogeneous &&
         absl::StrContains(schema.made_by, " --add-reverse");
}

ExcludeMode DefaultExclude(const GraphSchema& schema,
                           const std::vector<LinkSplits>& types,
                           const DrawOptions& draws) {
  if (SeesOnlyThePast(draws)) return ExcludeMode::kNone;
  if (!schema.heterogeneous) {
    return HasReverseIds(schema) ? ExcludeMode::kReverseId : ExcludeMode::kSelf;
  }
  const bool reversed = absl::c_all_of(types, [&](const LinkSplits& splits) {
    return HasReverse(schema, TypeIn(schema, splits));
  });
  return reversed ? ExcludeMode::kReverseTypes : ExcludeMode::kSelf;
}

SessionOptions LinkSessions::Probe(const LinkSampling& sampling,
                                   const CommonLoaderOptions& common) {
  LinkOptions link;
  link.lists.push_back({.edge_type = sampling.types[0].edge_type,
                        .source = {0},
                        .destination = {0}});
  link.neighbors.num_neighbors = {1};
  SessionOptions options(common, std::move(link));
  options.rank = 0;
  options.world = 1;
  options.batch_size = 1;
  return options;
}

SessionOptions LinkSessions::Train(const CommonLoaderOptions& common,
                                   const NeighborOptions& neighbors) const {
  return Of(&LinkSplits::train, "", true, common, neighbors);
}

std::optional<EvaluationSessions> LinkSessions::Evaluation(
    std::string LinkSplits::*split, Metric metric, const GraphSchema& schema,
    const CommonLoaderOptions& common, const NeighborOptions& neighbors) const {
  if (absl::c_all_of(sampling_.types, [&](const LinkSplits& splits) {
        return (splits.*split).empty();
      })) {
    return std::nullopt;
  }
  const bool given =
      metric != Metric::kMrr && neighbors.draws.time == TimeMode::kNone &&
      absl::c_all_of(sampling_.types, [&](const LinkSplits& splits) {
        if ((splits.*split).empty()) return true;
        return schema
            .FindSplit(TypeIn(schema, splits),
                       absl::StrCat(splits.*split, kNegatives))
            .ok();
      });
  EvaluationSessions sessions{Of(split, "", !given, common, neighbors), {}};
  if (given) {
    sessions.negatives = Of(split, kNegatives, false, common, neighbors);
  }
  return sessions;
}

SessionOptions LinkSessions::Of(std::string LinkSplits::*split,
                                const std::string& suffix, bool with_negatives,
                                const CommonLoaderOptions& common,
                                const NeighborOptions& neighbors) const {
  LinkOptions link;
  for (const LinkSplits& splits : sampling_.types) {
    if ((splits.*split).empty()) continue;
    link.lists.push_back({.edge_type = splits.edge_type,
                          .input_split = absl::StrCat(splits.*split, suffix),
                          .edge_time = splits.edge_time});
  }
  if (with_negatives) link.negatives = sampling_.negatives;
  link.exclude = exclude_;
  link.neighbors = neighbors;
  return {common, std::move(link)};
}

}  // namespace tributary
