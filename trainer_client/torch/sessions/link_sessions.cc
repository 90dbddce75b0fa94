#include "trainer_client/torch/sessions/link_sessions.h"

#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/edge_type_pattern.h"

namespace tributary {
namespace {

constexpr char kNegatives[] = "_neg";
// Links of a batch whose links alone are read.
constexpr uint64_t kLinksRead = 16384;

absl::Status BadSplits(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--input is \"", text,
      "\", allowed with --task link: [SRC,REL,DST:]TRAIN[,VALID[,TEST]]; of "
      "several types, each once: A,R,B:TRAIN,VALID;C,S,D:TRAIN; of all types "
      "that have the split: *:TRAIN,VALID or A,*,B:TRAIN"));
}

absl::StatusOr<LinkSplits> ParseOne(absl::string_view text, bool several) {
  LinkSplits splits;
  const size_t colon = text.rfind(':');
  if (colon != absl::string_view::npos) {
    splits.edge_type = std::string(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    const std::vector<std::string> parts =
        absl::StrSplit(splits.edge_type, ',');
    if ((parts.size() != 3 && splits.edge_type != "*") ||
        absl::c_linear_search(parts, "")) {
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

absl::StatusOr<std::vector<LinkSplits>> ExpandPatterns(
    const GraphSchema& schema, const std::vector<LinkSplits>& types) {
  std::vector<LinkSplits> expanded;
  std::set<std::string> taken;
  for (const LinkSplits& splits : types) {
    if (!IsEdgeTypePattern(splits.edge_type)) {
      expanded.push_back(splits);
      taken.insert(splits.edge_type);
      continue;
    }
    std::map<std::string, LinkSplits> made;
    for (const auto split :
         {&LinkSplits::train, &LinkSplits::valid, &LinkSplits::test}) {
      if ((splits.*split).empty()) continue;
      ASSIGN_OR_RETURN(
          const std::vector<std::string> with_split,
          EdgeTypesWithSplit(schema, splits.edge_type, splits.*split));
      for (const std::string& type : with_split) {
        made[type].*split = splits.*split;
      }
    }
    for (auto& [type, of_type] : made) {
      if (of_type.train.empty() || !taken.insert(type).second) continue;
      of_type.edge_type = type;
      expanded.push_back(of_type);
    }
  }
  return expanded;
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
  const LinkSplits& first = sampling.types[0];
  if (IsEdgeTypePattern(first.edge_type)) {
    link.lists.push_back(
        {.edge_type = first.edge_type, .input_split = first.train});
  } else {
    link.lists.push_back(
        {.edge_type = first.edge_type, .source = {0}, .destination = {0}});
  }
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

std::optional<SessionOptions> LinkSessions::Links(
    std::string LinkSplits::*split, const CommonLoaderOptions& common) const {
  if (absl::c_all_of(sampling_.types, [&](const LinkSplits& splits) {
        return (splits.*split).empty();
      })) {
    return std::nullopt;
  }
  NeighborOptions none;
  none.num_neighbors = {0};
  SessionOptions options = Of(split, "", false, common, none);
  std::get<LinkOptions>(options.kind).exclude = ExcludeMode::kNone;
  options.shuffle = ShuffleMode::kNone;
  options.collect = CollectedColumns::None();
  options.collect_degrees = false;
  options.omit_edge_ids = false;  // there are no edges
  options.feature_dtype = FeatureDType::kStored;
  options.batch_size = kLinksRead;
  options.rank = 0;
  options.world = 1;
  return options;
}

std::vector<std::optional<SessionOptions>> LinkSessions::Entities(
    const GraphSchema& schema, const CommonLoaderOptions& common,
    const NeighborOptions& neighbors) const {
  std::vector<std::optional<SessionOptions>> sessions(schema.node_types.size());
  for (const LinkSplits& splits : sampling_.types) {
    const int type = schema.FindEdgeType(TypeIn(schema, splits));
    if (type < 0) continue;
    const EdgeTypeSchema& edge = schema.edge_types[static_cast<size_t>(type)];
    for (const int end : {edge.src_type, edge.dst_type}) {
      SessionOptions options(common, neighbors);
      options.shuffle = ShuffleMode::kNone;
      options.all_nodes = true;
      if (schema.heterogeneous)
        options.input_type = schema.node_types[end].name;
      sessions[static_cast<size_t>(end)] = std::move(options);
    }
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
