#include "cli/sample/sample_link.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/inputs/input_file.h"
#include "cli/inputs/link_file.h"
#include "cli/inputs/negative_file.h"
#include "cli/sample/draw_flags.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Requires --kind link.
LinkOptions& LinkOf(SampleRequest* request) {
  return std::get<LinkOptions>(request->loader.kind);
}

struct TypedText {
  absl::string_view edge_type;  // empty: none
  absl::string_view text;
};

// Splits "[SRC,REL,DST:]TEXT". Types and file names may contain colons.
TypedText SplitType(absl::string_view text) {
  size_t colon = text.rfind(":@");
  if (colon == absl::string_view::npos) colon = text.rfind(':');
  if (absl::StartsWith(text, "@") || colon == absl::string_view::npos) {
    return {"", text};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// Splits a list of entries for several types, separated by ";".
std::vector<absl::string_view> SplitTypes(absl::string_view text) {
  if (absl::StartsWith(text, "@")) return {text};
  return absl::StrSplit(text, ';');
}

// Parses "[SRC,REL,DST:]@FILE" or "[SRC,REL,DST:]SPLIT".
absl::Status ParseLinkList(absl::string_view text, bool several,
                           SampleRequest* request) {
  EdgeTypeLinks& list = LinkOf(request).lists.emplace_back();
  LinkFiles& files = request->link_files.emplace_back();
  const TypedText typed = SplitType(text);
  absl::string_view rest = typed.text;
  const bool typed_well =
      !typed.edge_type.empty() || (rest.size() == text.size() && !several);
  const bool is_file = absl::ConsumePrefix(&rest, "@");
  if (!typed_well || rest.empty() ||
      (!is_file && absl::StrContains(rest, ','))) {
    return UsageError(absl::StrCat(
        "--input-edges \"", text,
        "\"\nallowed: a split of edges (train, SCHEME/train), or @FILE of a "
        "link \"source,destination\" or \"source,destination,label\" a line; "
        "SRC,REL,DST: before it in a typed graph, and several such lists "
        "separated by \";\""));
  }
  list.edge_type = std::string(typed.edge_type);
  (is_file ? files.links : list.input_split) = std::string(rest);
  return absl::OkStatus();
}

absl::Status ParseInputEdges(absl::string_view text, SampleRequest* request) {
  const std::vector<absl::string_view> lists = SplitTypes(text);
  for (const absl::string_view list : lists) {
    RETURN_IF_ERROR(ParseLinkList(list, lists.size() > 1, request));
  }
  return absl::OkStatus();
}

absl::Status NotByType(absl::string_view option, absl::string_view text,
                       const std::vector<EdgeTypeLinks>& lists) {
  return UsageError(absl::StrCat(
      option, " \"", text, "\" with links of several edge types\nallowed: ",
      absl::StrJoin(lists, ";",
                    [](std::string* out, const EdgeTypeLinks& list) {
                      absl::StrAppend(out, list.edge_type, ":...");
                    })));
}

// Returns the index of the list that an entry "SRC,REL,DST:TEXT" is for, or
// lists.size(). Types may contain colons: the longest type that fits wins.
size_t ListNamed(absl::string_view entry,
                 const std::vector<EdgeTypeLinks>& lists) {
  size_t found = lists.size();
  for (size_t i = 0; i < lists.size(); ++i) {
    const std::string& type = lists[i].edge_type;
    if (!absl::StartsWith(entry, type + ":")) continue;
    if (found == lists.size() || type.size() > lists[found].edge_type.size()) {
      found = i;
    }
  }
  return found;
}

// Returns a flag's text for each list of links: `text` itself for the only
// list; for several lists "SRC,REL,DST:TEXT;...", which must name each once.
absl::StatusOr<std::vector<std::string>> ByList(
    absl::string_view option, absl::string_view text,
    const std::vector<EdgeTypeLinks>& lists) {
  if (lists.size() == 1) return std::vector<std::string>{std::string(text)};
  std::vector<std::string> texts(lists.size());
  for (absl::string_view entry : SplitTypes(text)) {
    const size_t list = ListNamed(entry, lists);
    if (list == lists.size() || !texts[list].empty()) {
      return NotByType(option, text, lists);
    }
    entry.remove_prefix(lists[list].edge_type.size() + 1);
    texts[list] = std::string(entry);
  }
  for (const std::string& its : texts) {
    if (its.empty()) return NotByType(option, text, lists);
  }
  return texts;
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
  ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                   ByList("--neg-destination", text, LinkOf(request).lists));
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i][0] != '@' || texts[i].size() == 1) {
      return UsageError(absl::StrCat("--neg-destination \"", texts[i],
                                     "\"\nallowed: @FILE, a line of ids "
                                     "ID,ID,... for each link"));
    }
    request->link_files[i].negatives = texts[i].substr(1);
  }
  if (!arguments.neg_amount.empty()) {
    return UsageError(
        "--neg-amount with --neg-destination\nallowed: leave it out, for the "
        "file says how many");
  }
  return absl::OkStatus();
}

// Reads a list's negatives. Links of every edge type must have the same number.
absl::Status ReadNegatives(const std::string& file, EdgeTypeLinks* list,
                           LinkOptions* link) {
  ASSIGN_OR_RETURN(NegativeList read, ReadNegativeFile(file));
  const auto each = static_cast<double>(read.each);
  if (list != &link->lists[0] && each != link->negatives.amount) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": ", each, " ids a line; those of ", link->lists[0].edge_type,
        " have ", link->negatives.amount, "\nallowed: as many"));
  }
  list->neg_destination = std::move(read.destination);
  link->negatives.amount = each;
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
  request->loader.kind = LinkOptions();
  RETURN_IF_ERROR(ParseInputEdges(arguments.input_edges, request));
  ASSIGN_OR_RETURN(
      const size_t exclude,
      ParseChoice("--exclude", arguments.exclude,
                  {"none", "self", "reverse_id", "reverse_types", "pair"}));
  LinkOf(request).exclude = static_cast<ExcludeMode>(exclude);
  LinkOf(request).enclosing = arguments.enclosing;
  RETURN_IF_ERROR(ParseNegDestination(arguments, request));
  return ParseNegatives(arguments, &LinkOf(request).negatives);
}

// Parses the draws once per list: they differ only in times.
absl::Status ParseLinkDraws(const SampleArguments& arguments,
                            SampleRequest* request) {
  std::vector<EdgeTypeLinks>& lists = LinkOf(request).lists;
  DrawFlags flags = arguments.draws;
  int64_t time = 0;
  const bool for_all = flags.input_time.empty() || flags.input_time == "own" ||
                       absl::SimpleAtoi(flags.input_time, &time);
  std::vector<std::string> texts(lists.size(), flags.input_time);
  if (!for_all) {
    ASSIGN_OR_RETURN(texts, ByList("--input-time", flags.input_time, lists));
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    flags.input_time = texts[i];
    ASSIGN_OR_RETURN(DrawRequest draws,
                     ReadDrawFlags(flags, arguments.replace));
    LinkOf(request).neighbors.draws = draws.draws;
    lists[i].edge_label_time = std::move(draws.input_time);
    request->link_files[i].times = std::move(draws.input_time_file);
  }
  return absl::OkStatus();
}

absl::Status ReadLinkFiles(SampleRequest* request) {
  for (size_t i = 0; i < request->link_files.size(); ++i) {
    const LinkFiles& files = request->link_files[i];
    LinkOptions& link = LinkOf(request);
    EdgeTypeLinks& list = link.lists[i];
    if (!files.links.empty()) {
      RETURN_IF_ERROR(ReadLinkFile(files.links, &list));
    }
    if (!files.times.empty()) {
      ASSIGN_OR_RETURN(list.edge_label_time, ReadTimeFile(files.times));
    }
    if (!files.negatives.empty()) {
      RETURN_IF_ERROR(ReadNegatives(files.negatives, &list, &link));
    }
  }
  return absl::OkStatus();
}

}  // namespace tributary
