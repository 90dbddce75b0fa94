#include "cli/sample_link.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "common/status.h"

namespace tributary {
namespace {

// "[SRC,REL,DST:]@FILE" or "[SRC,REL,DST:]SPLIT".
absl::Status ParseInputEdges(absl::string_view text, SampleRequest* request) {
  LinkRequest& link = *request->loader.link;
  absl::string_view rest = text;
  size_t colon = text.rfind(":@");
  if (colon == absl::string_view::npos) colon = text.rfind(':');
  if (!absl::StartsWith(text, "@") && colon != absl::string_view::npos) {
    link.edge_type = std::string(text.substr(0, colon));
    rest = text.substr(colon + 1);
  }
  const bool typed_well = rest.size() == text.size() || colon > 0;
  const bool is_file = absl::ConsumePrefix(&rest, "@");
  if (!typed_well || rest.empty() ||
      (!is_file && absl::StrContains(rest, ','))) {
    return UsageError(absl::StrCat(
        "--input-edges \"", text,
        "\"\nallowed: a split of edges (train, SCHEME/train), or @FILE of a "
        "link \"source,destination\" or \"source,destination,label\" a line; "
        "SRC,REL,DST: before it in a typed graph"));
  }
  (is_file ? request->link_file : link.split) = std::string(rest);
  return absl::OkStatus();
}

absl::Status ParseNegatives(const SampleArguments& arguments,
                            NegativeSampling* negatives) {
  ASSIGN_OR_RETURN(const size_t mode,
                   ParseChoice("--neg-sampling", arguments.neg_sampling,
                               {"none", "binary", "triplet", "destination"}));
  negatives->mode = static_cast<NegativeMode>(mode);
  negatives->strict = arguments.neg_strict;
  ASSIGN_OR_RETURN(const size_t exhausted,
                   ParseChoice("--on-exhausted", arguments.on_exhausted,
                               {"error", "accept"}));
  negatives->on_exhausted = static_cast<OnExhausted>(exhausted);
  const std::string& power = arguments.neg_degree_power;
  if (!power.empty() && (!absl::SimpleAtod(power, &negatives->degree_power) ||
                         negatives->degree_power == 0)) {
    return UsageError(absl::StrCat("--neg-degree-power \"", power,
                                   "\"\nallowed: a number above 0, up to 1"));
  }
  if (arguments.neg_amount.empty()) return absl::OkStatus();
  if (negatives->mode == NegativeMode::kNone) {
    return UsageError(
        "--neg-amount without negatives\nallowed: with --neg-sampling binary, "
        "triplet or destination");
  }
  if (absl::SimpleAtod(arguments.neg_amount, &negatives->amount)) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat("--neg-amount \"", arguments.neg_amount,
                                 "\"\nallowed: a number above 0"));
}

absl::Status ParseNegDestination(const SampleArguments& arguments,
                                 SampleRequest* request) {
  const std::string& text = arguments.neg_destination;
  if (text.empty()) return absl::OkStatus();
  if (text[0] != '@' || text.size() == 1) {
    return UsageError(absl::StrCat("--neg-destination \"", text,
                                   "\"\nallowed: @FILE, a line of ids "
                                   "ID,ID,... for each link"));
  }
  if (!arguments.neg_amount.empty()) {
    return UsageError(
        "--neg-amount with --neg-destination\nallowed: leave it out, for the "
        "file says how many");
  }
  request->negative_file = text.substr(1);
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseLink(const SampleArguments& arguments,
                       SampleRequest* request) {
  if (!arguments.input_nodes.empty()) {
    return UsageError("--input-nodes with --kind link\nallowed: --input-edges");
  }
  if (arguments.draws.time != DrawFlags().time &&
      arguments.draws.input_time.empty()) {
    return UsageError(
        "--time with --kind link needs --input-time\nallowed: one time for all "
        "links, one for each (5,7,-3) or @FILE.npy");
  }
  request->loader.link.emplace();
  RETURN_IF_ERROR(ParseInputEdges(arguments.input_edges, request));
  ASSIGN_OR_RETURN(
      const size_t exclude,
      ParseChoice("--exclude", arguments.exclude,
                  {"none", "self", "reverse_id", "reverse_types", "pair"}));
  request->loader.link->exclude = static_cast<ExcludeMode>(exclude);
  request->loader.link->enclosing = arguments.enclosing;
  RETURN_IF_ERROR(ParseNegDestination(arguments, request));
  return ParseNegatives(arguments, &request->loader.link->negatives);
}

}  // namespace tributary
