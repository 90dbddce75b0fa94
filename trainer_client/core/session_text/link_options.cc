// The options of links, their negatives and what hops leave out.
#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

// ---- Lists of links, and texts for each -------------------------------------

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

// Reads "[SRC,REL,DST:]@FILE" or "[SRC,REL,DST:]SPLIT".
absl::Status ReadLinkList(absl::string_view text, bool several,
                          SessionDraft& draft) {
  EdgeTypeLinks& list = draft.link.lists.emplace_back();
  LinkFiles& files = draft.files.links.emplace_back();
  const TypedText typed = SplitType(text);
  absl::string_view rest = typed.text;
  const bool typed_well =
      !typed.edge_type.empty() || (rest.size() == text.size() && !several);
  const bool is_file = absl::ConsumePrefix(&rest, "@");
  if (!typed_well || rest.empty() ||
      (!is_file && absl::StrContains(rest, ','))) {
    return RefuseOption(
        "input_edges", text,
        "a split of edges (train, SCHEME/train), or @FILE of a link "
        "\"source,destination\" or \"source,destination,label\" a line, or "
        ".npy with such rows; SRC,REL,DST: before it in a typed graph, and "
        "several such lists "
        "separated by \";\"");
  }
  list.edge_type = std::string(typed.edge_type);
  (is_file ? files.links : list.input_split) = std::string(rest);
  return absl::OkStatus();
}

absl::Status ReadInputEdges(absl::string_view text, SessionDraft& draft) {
  const std::vector<absl::string_view> lists = SplitTypes(text);
  for (const absl::string_view list : lists) {
    RETURN_IF_ERROR(ReadLinkList(list, lists.size() > 1, draft));
  }
  return absl::OkStatus();
}

// Joins "[SRC,REL,DST:]TEXT" of each list.
std::string JoinByList(const std::vector<EdgeTypeLinks>& lists,
                       const std::vector<std::string>& texts) {
  std::string joined;
  for (size_t i = 0; i < lists.size(); ++i) {
    absl::StrAppend(&joined, i == 0 ? "" : ";", lists[i].edge_type,
                    lists[i].edge_type.empty() ? "" : ":", texts[i]);
  }
  return joined;
}

std::string WriteInputEdges(const SessionDraft& draft) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < draft.link.lists.size(); ++i) {
    const std::string& file = draft.files.links[i].links;
    texts.push_back(file.empty() ? draft.link.lists[i].input_split
                                 : absl::StrCat("@", file));
  }
  return JoinByList(draft.link.lists, texts);
}

absl::Status NotByType(absl::string_view name, absl::string_view text,
                       const std::vector<EdgeTypeLinks>& lists) {
  return absl::InvalidArgumentError(absl::StrCat(
      FlagOf(name), " \"", text,
      "\" with links of several edge types\nallowed: ",
      JoinByList(lists, std::vector<std::string>(lists.size(), "..."))));
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

// Returns an option's text for each list of links: `text` itself for the only
// list; for several lists "SRC,REL,DST:TEXT;...", which must name each once.
absl::StatusOr<std::vector<std::string>> ByList(
    absl::string_view name, absl::string_view text,
    const std::vector<EdgeTypeLinks>& lists) {
  if (lists.size() == 1) return std::vector<std::string>{std::string(text)};
  std::vector<std::string> texts(lists.size());
  for (absl::string_view entry : SplitTypes(text)) {
    const size_t list = ListNamed(entry, lists);
    if (list == lists.size() || !texts[list].empty()) {
      return NotByType(name, text, lists);
    }
    entry.remove_prefix(lists[list].edge_type.size() + 1);
    texts[list] = std::string(entry);
  }
  for (const std::string& its : texts) {
    if (its.empty()) return NotByType(name, text, lists);
  }
  return texts;
}

// ---- Rows -------------------------------------------------------------------

absl::Status ReadAmount(absl::string_view text, SessionDraft& draft) {
  const auto amount = ParseNumber<double>(text);
  if (!amount || !std::isfinite(*amount)) {
    return RefuseOption("neg_amount", text, "a number above 0");
  }
  draft.link.negatives.amount = *amount;
  return absl::OkStatus();
}

absl::Status ReadDegreePower(absl::string_view text, SessionDraft& draft) {
  const auto power = ParseNumber<double>(text);
  if (!power || !(*power > 0)) {
    return RefuseOption("neg_degree_power", text, "a number above 0, up to 1");
  }
  draft.link.negatives.degree_power = *power;
  return absl::OkStatus();
}

std::string WriteDegreePower(const SessionDraft& draft) {
  const double power = draft.link.negatives.degree_power;
  return power == 0 ? "" : NumberText(power);
}

constexpr char kNegativesAllowed[] =
    "@FILE, a line of ids ID,ID,... for each link";

// FinishNegatives() reads it, once the lists of links are known.
absl::Status KeepNegatives(absl::string_view text, SessionDraft& draft) {
  if (text.empty()) {
    return RefuseOption("neg_destination", text, kNegativesAllowed);
  }
  draft.neg_destination = std::string(text);
  return absl::OkStatus();
}

void AddNegatives(std::vector<SessionOption>& table) {
  table.push_back(ChoiceOption(
      {"neg_sampling",
       "MODE",
       "Negatives: none, binary (both ends drawn), triplet (destinations for "
       "each source) or destination (the same, as pairs)",
       {"link"}},
      {"none", "binary", "triplet", "destination"},
      [](auto& draft) -> auto& { return draft.link.negatives.mode; }));
  table.push_back({{"neg_amount",
                    "N",
                    "Negatives for each link; whole, but for binary",
                    {"link"}},
                   OptionForm::kNumber,
                   ',',
                   ReadAmount,
                   [](const SessionDraft& draft) {
                     return NumberText(draft.link.negatives.amount);
                   }});
  table.push_back(
      {{"neg_degree_power",
        "A",
        "Draw negatives in proportion to degree^A, A above 0 and up to 1: "
        "destinations by in-degree, drawn sources by out-degree; needs a graph "
        "partitioned with --degrees [uniform]",
        {"link"}},
       OptionForm::kNumber,
       ',',
       ReadDegreePower,
       WriteDegreePower});
  table.push_back(
      {{"neg_destination",
        "NEGATIVES",
        "@FILE with your own negatives: for each link a line of "
        "destination ids, ID,ID,..., as many in every line, or .npy of "
        "[links, ids]; for several edge types SRC,REL,DST:@FILE;...",
        {"link"}},
       OptionForm::kByType,
       ',',
       KeepNegatives,
       [](const SessionDraft& draft) { return draft.neg_destination; }});
  table.push_back(FlagOption(
      {"neg_strict",
       "",
       "Negatives must not be edges: takes the first such of 64 candidates",
       {"link"}},
      [](auto& draft) -> auto& { return draft.link.negatives.strict; }));
  table.push_back(ChoiceOption(
      {"on_exhausted",
       "WHAT",
       "With --neg-strict or --time node, if none of a negative's 64 "
       "candidates is valid: error, or accept the last one and count it",
       {"link"}},
      {"error", "accept"},
      [](auto& draft) -> auto& { return draft.link.negatives.on_exhausted; }));
}

void AddLinkOptions(std::vector<SessionOption>& table) {
  table.push_back({{"input_edges",
                    "LINKS",
                    "Links instead of nodes: a split of edges (train, "
                    "SCHEME/train), or @FILE with source,destination or "
                    "source,destination,label on each line, or .npy with such "
                    "rows; SRC,REL,DST: before it in a typed graph, and "
                    "several such lists separated by ;",
                    {"link"}},
                   OptionForm::kByType,
                   ',',
                   ReadInputEdges,
                   WriteInputEdges});
  AddNegatives(table);
  table.push_back(ChoiceOption(
      {"exclude",
       "EDGES",
       "Edges that hops leave out because they are links of the batch: none; "
       "for links of a split self, reverse_id (and id ^ 1) or reverse_types "
       "(and those of rev_REL); or pair, all edges from a source to its "
       "destination",
       {"link"}},
      {"none", "self", "reverse_id", "reverse_types", "pair"},
      [](auto& draft) -> auto& { return draft.link.exclude; }));
  table.push_back(FlagOption(
      {"enclosing",
       "",
       "SEAL's enclosing subgraphs: all edges between the nodes around each "
       "link except the link itself, with z, the nodes' double-radius labels",
       {"link"}},
      [](auto& draft) -> auto& { return draft.link.enclosing; }));
}

// ---- How they go together ---------------------------------------------------

absl::Status FinishNegatives(const SessionText& text, SessionDraft& draft) {
  if (!draft.neg_destination.empty()) {
    ASSIGN_OR_RETURN(
        const std::vector<std::string> texts,
        ByList("neg_destination", draft.neg_destination, draft.link.lists));
    for (size_t i = 0; i < texts.size(); ++i) {
      if (texts[i][0] != '@' || texts[i].size() == 1) {
        return RefuseOption("neg_destination", texts[i], kNegativesAllowed);
      }
      draft.files.links[i].negatives = texts[i].substr(1);
    }
    if (text.Gives("neg_amount")) {
      return absl::InvalidArgumentError(
          "--neg-amount with --neg-destination\nallowed: leave it out, for the "
          "file says how many");
    }
  }
  if (text.Gives("neg_amount") &&
      draft.link.negatives.mode == NegativeMode::kNone) {
    return absl::InvalidArgumentError(
        "--neg-amount without negatives\nallowed: with --neg-sampling binary, "
        "triplet or destination");
  }
  return absl::OkStatus();
}

// Returns where the session's times come from, and fills those of each list.
absl::StatusOr<InputTimeMode> FinishTimes(SessionDraft& draft) {
  const bool timed = draft.neighbors.draws.time != TimeMode::kNone;
  const std::string& text = draft.input_time;
  if (timed && text.empty()) {
    return absl::InvalidArgumentError(
        "--time with --kind link needs --input-time\nallowed: one time for all "
        "links, one for each (5,7,-3) or @FILE.npy");
  }
  std::vector<EdgeTypeLinks>& lists = draft.link.lists;
  const bool for_all =
      text.empty() || text == "own" || ParseNumber<int64_t>(text).has_value();
  std::vector<std::string> texts(lists.size(), text);
  if (!for_all) {
    ASSIGN_OR_RETURN(texts, ByList("input_time", text, lists));
  }
  InputTimeMode mode = InputTimeMode::kNone;
  for (size_t i = 0; i < lists.size(); ++i) {
    ASSIGN_OR_RETURN(InputTimes times, ReadInputTimes(texts[i], timed));
    mode = times.mode;
    lists[i].edge_label_time = std::move(times.times);
    draft.files.links[i].times = std::move(times.file);
  }
  return mode;
}

absl::StatusOr<KindOptions> FinishLinks(const SessionText& text,
                                        SessionDraft& draft) {
  if (draft.link.lists.empty()) {
    return absl::InvalidArgumentError(
        "--input-edges is required with --kind link\nallowed: a split of edges "
        "(train, SCHEME/train), or @FILE");
  }
  RETURN_IF_ERROR(FinishNegatives(text, draft));
  ASSIGN_OR_RETURN(const InputTimeMode mode, FinishTimes(draft));
  if (draft.link.enclosing) {
    draft.neighbors.subgraph.type = SubgraphType::kInduced;
    draft.neighbors.draws.disjoint = true;
  }
  ASSIGN_OR_RETURN(draft.link.neighbors, FinishNeighbors(text, draft, mode));
  return KindOptions(draft.link);
}

// ---- The reverse ------------------------------------------------------------

absl::Status CheckDescribable(const EdgeTypeLinks& list) {
  if (!list.input_split.empty() && list.source.empty() &&
      list.destination.empty() && list.edge_id.empty() &&
      list.edge_label.empty() && list.edge_label_float.empty() &&
      list.neg_destination.empty() && list.edge_time == nullptr) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "links have no text but by the name of their split, without labels, "
      "negatives and times of the edges");
}

absl::Status DescribeLinks(const KindOptions& options, SessionDraft& draft) {
  draft.link = std::get<LinkOptions>(options);
  draft.neighbors = draft.link.neighbors;
  if (draft.link.enclosing) {  // implied
    draft.neighbors.subgraph.type = SubgraphType::kDirectional;
    draft.neighbors.draws.disjoint = false;
  }
  const std::vector<EdgeTypeLinks>& lists = draft.link.lists;
  draft.files.links.resize(lists.size());
  std::vector<std::string> times;
  bool alike = true;
  for (const EdgeTypeLinks& list : lists) {
    RETURN_IF_ERROR(CheckDescribable(list));
    times.push_back(InputTimesText(list.edge_label_time));
    alike = alike && list.edge_label_time == lists[0].edge_label_time;
  }
  if (lists.empty() || lists[0].edge_label_time.empty()) {
    const InputTimeMode mode = draft.neighbors.draws.input_time;
    draft.input_time = mode == InputTimeMode::kOwn ? "own" : "";
    return absl::OkStatus();
  }
  const bool for_all = alike && lists[0].edge_label_time.size() == 1;
  draft.input_time =
      for_all || lists.size() == 1 ? times[0] : JoinByList(lists, times);
  return absl::OkStatus();
}

}  // namespace

DescribedKind DescribedLinks() {
  return {"link", AddLinkOptions, FinishLinks, DescribeLinks};
}

}  // namespace tributary
