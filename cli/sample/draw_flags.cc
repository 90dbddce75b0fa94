#include "cli/sample/draw_flags.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Parses comma-separated whole numbers; nullopt if one is not.
std::optional<std::vector<int64_t>> ParseTimes(absl::string_view text) {
  std::vector<int64_t> times;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t time = 0;
    const char* end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, time);
    if (error != std::errc() || at != end) return std::nullopt;
    times.push_back(time);
  }
  return times;
}

absl::Status ParseInputTime(const std::string& text, DrawRequest* request) {
  InputTimeMode& mode = request->draws.input_time;
  const bool timed = request->draws.time != TimeMode::kNone;
  if (text.empty() || text == "own") {
    mode = timed || !text.empty() ? InputTimeMode::kOwn : InputTimeMode::kNone;
    return absl::OkStatus();
  }
  mode = InputTimeMode::kGiven;
  if (text[0] == '@' && text.size() > 1) {
    request->input_time_file = text.substr(1);
    return absl::OkStatus();
  }
  auto times = ParseTimes(text);
  if (!times.has_value()) {
    return UsageError(absl::StrCat(
        "--input-time \"", text,
        "\"\nallowed: own, one time for all (1082040961), one for each input "
        "(5,7,-3) or @FILE.npy"));
  }
  request->input_time = *std::move(times);
  return absl::OkStatus();
}

}  // namespace

void DeclareDrawFlags(CLI::App& app, DrawFlags& flags) {
  app.add_option("--draw", flags.draw,
                 "How neighbours are drawn: uniform, weighted (by the edges' "
                 "weights) or labor (LABOR-0: nodes share random variates)")
      ->type_name("RULE")
      ->capture_default_str();
  app.add_flag("--layer-dependency", flags.layer_dependency,
               "labor: every hop uses the same variates");
  app.add_option(
         "--time", flags.time,
         "Only neighbours not later than the input, by the time of the edge or "
         "of the node; none: all neighbours. Implies --disjoint")
      ->type_name("COLUMN")
      ->capture_default_str();
  app.add_option("--temporal-strategy", flags.temporal_strategy,
                 "With --time: uniform (at random) or last (the latest ones)")
      ->type_name("STRATEGY")
      ->capture_default_str();
  app.add_flag(
      "--strict", flags.strict,
      "With --time: only neighbours earlier than the input, not at its time");
  app.add_option("--input-time", flags.input_time,
                 "With --time: own (the node's, the default), one time for all "
                 "inputs, one for each (5,7,-3) or @FILE.npy; for links of "
                 "several edge types SRC,REL,DST:TIMES;...")
      ->type_name("TIMES");
  app.add_flag("--disjoint", flags.disjoint,
               "A separate tree for each input; trees share no nodes");
  app.add_option("--edge-mask", flags.edge_mask,
                 "Only edges for which the mask of this name is true; needs a "
                 "graph partitioned with --edge-masks")
      ->type_name("NAME");
  app.add_option("--edge-predicate", flags.edge_predicate,
                 "Only edges that satisfy it: 'edge_attr[0] >= 0.5 and "
                 "edge_time < 100'; columns edge_attr[I], edge_weight, "
                 "edge_time, edge_mask[NAME], self_loop; for one edge type "
                 "'src,rel,dst:edge_weight > 0', several separated by ;")
      ->type_name("CONDITIONS");
  app.add_option("--edge-dir", flags.edge_dir,
                 "Direction of the edges to neighbours: in, out (needs a graph "
                 "partitioned with --out-edges or, if typed, --add-reverse) or "
                 "both, with the fanout for each")
      ->type_name("DIRECTION")
      ->capture_default_str();
}

absl::StatusOr<DrawRequest> ReadDrawFlags(const DrawFlags& flags,
                                          bool replace) {
  DrawRequest request;
  DrawOptions& draws = request.draws;
  ASSIGN_OR_RETURN(
      const size_t draw,
      ParseChoice("--draw", flags.draw, {"uniform", "weighted", "labor"}));
  draws.draw = static_cast<DrawMode>(draw);
  ASSIGN_OR_RETURN(const size_t time,
                   ParseChoice("--time", flags.time, {"none", "edge", "node"}));
  draws.time = static_cast<TimeMode>(time);
  ASSIGN_OR_RETURN(const size_t strategy,
                   ParseChoice("--temporal-strategy", flags.temporal_strategy,
                               {"uniform", "last"}));
  draws.temporal_strategy = static_cast<TemporalStrategy>(strategy);
  ASSIGN_OR_RETURN(
      const size_t direction,
      ParseChoice("--edge-dir", flags.edge_dir, {"in", "out", "both"}));
  draws.edge_dir = static_cast<EdgeDirection>(direction);
  if (flags.edge_predicate.has_value()) {
    auto predicates = ParseEdgePredicates(*flags.edge_predicate);
    if (!predicates.ok()) return UsageError(predicates.status().message());
    draws.edge_predicates = *std::move(predicates);
  }
  if (flags.edge_mask.has_value()) {
    draws.edge_mask = *flags.edge_mask;
    if (draws.edge_mask.empty()) {
      return UsageError("--edge-mask \"\"\nallowed: the name of a mask");
    }
  }
  draws.layer_dependency = flags.layer_dependency;
  draws.strict = flags.strict;
  draws.disjoint = flags.disjoint;
  RETURN_IF_ERROR(ParseInputTime(flags.input_time, &request));
  const absl::Status status = CheckDrawOptions(draws, replace);
  if (!status.ok()) {
    const absl::string_view message = status.message();
    return UsageError(message);
  }
  return request;
}

}  // namespace tributary
