// The options of sampling neighbours, of nodes and of the ends of links.
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/session/spec_builder.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

using Kinds = std::vector<absl::string_view>;

const Kinds& Hops() {
  static const auto& kinds = *new Kinds{"node", "link"};
  return kinds;
}

// ---- Fanouts ----------------------------------------------------------------

constexpr char kFanoutsAllowed[] =
    "a number for each hop, -1 for all: 15,10,5; typed graphs also "
    "4,3;src,rel,dst=2,0, all of one length";

absl::Status ReadFanouts(absl::string_view text, SessionDraft& draft) {
  auto fanouts = ParseNumNeighbors({text.data(), text.size()});
  const absl::Status status =
      fanouts.ok() ? CheckNumNeighbors(*fanouts) : fanouts.status();
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--num-neighbors \"", text, "\": ", status.message(),
                     "\nallowed: ", kFanoutsAllowed));
  }
  draft.neighbors.num_neighbors = *std::move(fanouts);
  return absl::OkStatus();
}

std::string WriteFanouts(const SessionDraft& draft) {
  return NumNeighborsText(draft.neighbors.num_neighbors);
}

// ---- Conditions -------------------------------------------------------------

absl::Status ReadPredicates(absl::string_view text, SessionDraft& draft) {
  ASSIGN_OR_RETURN(draft.neighbors.draws.edge_predicates,
                   ParseEdgePredicates(text));
  return absl::OkStatus();
}

std::string WriteConditions(const std::vector<EdgeCondition>& conditions) {
  return absl::StrJoin(conditions, " and ",
                       [](std::string* out, const EdgeCondition& condition) {
                         absl::StrAppend(out, condition.ToString());
                       });
}

std::string WritePredicates(const SessionDraft& draft) {
  const EdgePredicates& predicates = draft.neighbors.draws.edge_predicates;
  std::vector<std::string> parts;
  if (!predicates.by_default.empty()) {
    parts.push_back(WriteConditions(predicates.by_default));
  }
  for (const auto& [type, conditions] : predicates.by_edge_type) {
    parts.push_back(absl::StrCat(type, ":", WriteConditions(conditions)));
  }
  return absl::StrJoin(parts, ";");
}

absl::Status ReadMask(absl::string_view text, SessionDraft& draft) {
  if (text.empty()) {
    return RefuseOption("edge_mask", text, "the name of a mask");
  }
  draft.neighbors.draws.edge_mask = std::string(text);
  return absl::OkStatus();
}

// ---- Rows -------------------------------------------------------------------

constexpr char kTimesAllowed[] =
    "own, one time for all (1082040961), one for each input (5,7,-3) or "
    "@FILE.npy";

// The kind reads it, once the lists of inputs are known.
absl::Status KeepInputTime(absl::string_view text, SessionDraft& draft) {
  if (text.empty()) return RefuseOption("input_time", text, kTimesAllowed);
  draft.input_time = std::string(text);
  return absl::OkStatus();
}

void AddHops(std::vector<SessionOption>& table) {
  table.push_back({{"num_neighbors", "LIST",
                    "Neighbours per node for each hop, -1 for all: 15,10,5; by "
                    "edge type: 4,3;src,rel,dst=2,0",
                    Hops()},
                   OptionForm::kByType,
                   ',',
                   ReadFanouts,
                   WriteFanouts,
                   '='});
  table.push_back(FlagOption(
      {"replace", "", "Draw neighbours with replacement", Hops()},
      [](auto& draft) -> auto& { return draft.neighbors.replace; }));
  table.push_back(ChoiceOption(
      {"expand", "NODES",
       "Nodes that a hop expands: new (found by the previous hop, as in PyG) "
       "or all (as in DGL's blocks)",
       Hops()},
      {"new", "all"},
      [](auto& draft) -> auto& { return draft.neighbors.expand_all; }));
}

void AddDraws(std::vector<SessionOption>& table) {
  table.push_back(ChoiceOption(
      {"draw", "RULE",
       "How neighbours are drawn: uniform, weighted (by the edges' weights), "
       "labor (LABOR-0: nodes share random variates) or across_types (uniform, "
       "the fanout being a node's total over all edge types)",
       Hops()},
      {"uniform", "weighted", "labor", "across_types"},
      [](auto& draft) -> auto& { return draft.neighbors.draws.draw; }));
  table.push_back(FlagOption(
      {"layer_dependency", "", "labor: every hop uses the same variates",
       Hops()},
      [](auto& draft) -> auto& {
        return draft.neighbors.draws.layer_dependency;
      }));
  table.push_back(ChoiceOption(
      {"time", "COLUMN",
       "Only neighbours not later than the input, by the time of the edge or "
       "of the node; none: all neighbours. Implies --disjoint",
       Hops()},
      {"none", "edge", "node"},
      [](auto& draft) -> auto& { return draft.neighbors.draws.time; }));
  table.push_back(ChoiceOption(
      {"temporal_strategy", "STRATEGY",
       "With --time: uniform (at random) or last (the latest ones)", Hops()},
      {"uniform", "last"}, [](auto& draft) -> auto& {
        return draft.neighbors.draws.temporal_strategy;
      }));
  table.push_back(FlagOption(
      {"strict", "",
       "With --time: only neighbours earlier than the input, not at its time",
       Hops()},
      [](auto& draft) -> auto& { return draft.neighbors.draws.strict; }));
  table.push_back({{"input_time", "TIMES",
                    "With --time: own (the node's, the default), one time for "
                    "all inputs, one for each (5,7,-3) or @FILE.npy; for links "
                    "of several edge types SRC,REL,DST:TIMES;...",
                    Hops()},
                   OptionForm::kByType,
                   ',',
                   KeepInputTime,
                   [](const SessionDraft& draft) { return draft.input_time; }});
}

void AddConditions(std::vector<SessionOption>& table) {
  table.push_back(FlagOption(
      {"disjoint", "", "A separate tree for each input; trees share no nodes",
       Hops()},
      [](auto& draft) -> auto& { return draft.neighbors.draws.disjoint; }));
  table.push_back({{"edge_mask", "NAME",
                    "Only edges for which the mask of this name is true; needs "
                    "a graph partitioned with --edge-masks",
                    Hops()},
                   OptionForm::kText,
                   ',',
                   ReadMask,
                   [](const SessionDraft& draft) {
                     return draft.neighbors.draws.edge_mask;
                   }});
  table.push_back({{"edge_predicate", "CONDITIONS",
                    "Only edges that satisfy it: 'edge_attr[0] >= 0.5 and "
                    "edge_time < 100'; columns edge_attr[I], edge_weight, "
                    "edge_time, edge_mask[NAME], self_loop; for one edge type "
                    "'src,rel,dst:edge_weight > 0', several separated by ;",
                    Hops()},
                   OptionForm::kByType,
                   ',',
                   ReadPredicates,
                   WritePredicates});
  table.push_back(ChoiceOption(
      {"edge_dir", "DIRECTION",
       "Direction of the edges to neighbours: in, out (needs a graph "
       "partitioned with --out-edges or, if typed, --add-reverse) or both, "
       "with the fanout for each",
       Hops()},
      {"in", "out", "both"},
      [](auto& draft) -> auto& { return draft.neighbors.draws.edge_dir; }));
}

void AddSubgraph(std::vector<SessionOption>& table) {
  table.push_back(ChoiceOption(
      {"subgraph_type",
       "TYPE",
       "Edges of a batch: directional (the sampled ones), bidirectional (also "
       "the reverse of each) or induced (all between its nodes)",
       {"node"}},
      {"directional", "bidirectional", "induced"},
      [](auto& draft) -> auto& { return draft.neighbors.subgraph.type; }));
  table.push_back(WholeOption(
      {"max_scanned_edges",
       "N",
       "induced: most in-edges scanned for a batch",
       {"node"}},
      1, kMaxScannedEdges, [](auto& draft) -> auto& {
        return draft.neighbors.subgraph.max_scanned_edges;
      }));
}

void AddNodeOptions(std::vector<SessionOption>& table) {
  AddHops(table);
  AddDraws(table);
  AddConditions(table);
  AddSubgraph(table);
}

absl::StatusOr<KindOptions> FinishNodes(const SessionText& text,
                                        SessionDraft& draft) {
  ASSIGN_OR_RETURN(
      InputTimes times,
      ReadInputTimes(draft.input_time,
                     draft.neighbors.draws.time != TimeMode::kNone));
  ASSIGN_OR_RETURN(NeighborOptions neighbors,
                   FinishNeighbors(text, draft, times.mode));
  neighbors.input_time = std::move(times.times);
  draft.files.input_time = std::move(times.file);
  return KindOptions(std::move(neighbors));
}

absl::Status DescribeNodes(const KindOptions& options, SessionDraft& draft) {
  draft.neighbors = std::get<NeighborOptions>(options);
  draft.input_time = InputTimesText(draft.neighbors.input_time);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InputTimes> ReadInputTimes(const std::string& text, bool timed) {
  if (text.empty() || text == "own") {
    const bool own = timed || !text.empty();
    return InputTimes{own ? InputTimeMode::kOwn : InputTimeMode::kNone, {}, ""};
  }
  InputTimes read{InputTimeMode::kGiven, {}, ""};
  if (text[0] == '@' && text.size() > 1) {
    read.file = text.substr(1);
    return read;
  }
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const auto time = ParseNumber<int64_t>(part);
    if (!time) {
      return RefuseOption("input_time", text, kTimesAllowed);
    }
    read.times.push_back(*time);
  }
  return read;
}

std::string InputTimesText(const std::vector<int64_t>& times) {
  return absl::StrJoin(times, ",");
}

absl::StatusOr<NeighborOptions> FinishNeighbors(const SessionText& text,
                                                const SessionDraft& draft,
                                                InputTimeMode mode) {
  NeighborOptions neighbors = draft.neighbors;
  if (neighbors.num_neighbors.hops() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--num-neighbors is required\nallowed: ", kFanoutsAllowed));
  }
  neighbors.draws.input_time = mode;
  RETURN_IF_ERROR(CheckDrawOptions(neighbors.draws, neighbors.replace));
  if (text.Gives("max_scanned_edges") &&
      neighbors.subgraph.type != SubgraphType::kInduced) {
    return absl::InvalidArgumentError(
        "--max-scanned-edges goes with --subgraph-type induced only\nallowed: "
        "leave it out, or --subgraph-type induced");
  }
  RETURN_IF_ERROR(CheckSubgraphOptions(neighbors.subgraph, neighbors.draws));
  return neighbors;
}

DescribedKind DescribedNodes() {
  return {"node", AddNodeOptions, FinishNodes, DescribeNodes};
}

}  // namespace tributary
