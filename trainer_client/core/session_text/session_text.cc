#include "trainer_client/core/session_text/session_text.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "trainer_client/core/inputs/input_file.h"
#include "trainer_client/core/inputs/link_file.h"
#include "trainer_client/core/inputs/negative_file.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

absl::Status CheckNames(const SessionText& text) {
  for (const auto& [name, value] : text.given()) {
    if (FindSessionOption(name) != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", name, "\" is no option of a session\nallowed: ",
        absl::StrJoin(SessionTable(), ", ",
                      [](std::string* out, const SessionOption& option) {
                        out->append(option.words.name);
                      })));
  }
  return absl::OkStatus();
}

const DescribedKind& KindNamed(absl::string_view name) {
  for (const DescribedKind& kind : DescribedKinds()) {
    if (kind.name == name) return kind;
  }
  return DescribedKinds()[0];  // a draft has no other names
}

// Reads one option, unless the draft's kind has none of the name.
absl::Status ReadOption(const SessionText& text, const SessionOption& option,
                        SessionDraft& draft) {
  const std::string& name = option.words.name;
  if (option.BelongsTo(draft.kind)) {
    // The draft begins with the table's defaults.
    const std::string value = text.Get(name);
    if (!text.Gives(name) && value == option.Default()) return absl::OkStatus();
    return option.read(value, draft);
  }
  if (!text.Gives(name)) return absl::OkStatus();
  const std::string kinds = absl::StrJoin(option.words.kinds, ", ");
  return absl::InvalidArgumentError(absl::StrCat(
      FlagOf(name), " goes with --kind ", kinds, " only, not with ", draft.kind,
      "\nallowed: leave it out, or --kind ", kinds));
}

absl::Status CheckCommon(const SessionDraft& draft) {
  const CommonLoaderOptions& common = draft.common;
  if (draft.kind != "link" && draft.files.input_nodes.empty() &&
      common.input_split.empty() && common.input_nodes.empty() &&
      !common.all_nodes) {
    return absl::InvalidArgumentError(
        "--input-nodes is required\nallowed: a split (train), ids (1,2,3), "
        "@FILE.npy or * (all)");
  }
  if (!draft.files.input_weight.empty() &&
      common.shuffle != ShuffleMode::kGlobal) {
    return absl::InvalidArgumentError(
        "--input-weight with --shuffle none\nallowed: global");
  }
  return absl::OkStatus();
}

NeighborOptions* HopsOf(KindOptions& kind) {
  auto* link = std::get_if<LinkOptions>(&kind);
  return link != nullptr ? &link->neighbors
                         : std::get_if<NeighborOptions>(&kind);
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

absl::Status ReadLinkFiles(const std::vector<LinkFiles>& files,
                           LinkOptions& link) {
  for (size_t i = 0; i < files.size(); ++i) {
    EdgeTypeLinks& list = link.lists[i];
    if (!files[i].links.empty()) {
      RETURN_IF_ERROR(ReadLinkFile(files[i].links, &list));
    }
    if (!files[i].times.empty()) {
      ASSIGN_OR_RETURN(list.edge_label_time, ReadTimeFile(files[i].times));
    }
    if (!files[i].negatives.empty()) {
      RETURN_IF_ERROR(ReadNegatives(files[i].negatives, &list, &link));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<DescribedSession> ReadAll(const SessionText& text) {
  RETURN_IF_ERROR(CheckNames(text));
  SessionDraft draft;
  for (const SessionOption& option : SessionTable()) {  // the kind first
    RETURN_IF_ERROR(ReadOption(text, option, draft));
  }
  RETURN_IF_ERROR(CheckCommon(draft));
  ASSIGN_OR_RETURN(KindOptions kind, KindNamed(draft.kind).finish(text, draft));
  return DescribedSession{SessionOptions(draft.common, std::move(kind)),
                          std::move(draft.files)};
}

// Checks of several options together begin with the name of one, not with its
// flag.
absl::Status InFlagWords(const absl::Status& status) {
  const absl::string_view message = status.message();
  for (const SessionOption& option : SessionTable()) {
    absl::string_view rest = message;
    if (!absl::ConsumePrefix(&rest, option.words.name)) continue;
    if (!absl::StartsWith(rest, ": ")) continue;
    return {status.code(), absl::StrCat(FlagOf(option.words.name), rest)};
  }
  return status;
}

}  // namespace

void SessionText::Set(absl::string_view name, std::string text) {
  given_[std::string(name)] = std::move(text);
}

void SessionText::SetDefault(absl::string_view name, std::string text) {
  defaults_[std::string(name)] = std::move(text);
}

void SessionText::Add(const SessionText& other) {
  given_.insert(other.given_.begin(), other.given_.end());
}

bool SessionText::Gives(absl::string_view name) const {
  return given_.find(name) != given_.end();
}

std::string SessionText::Get(absl::string_view name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? Default(name) : found->second;
}

std::string SessionText::Default(absl::string_view name) const {
  const auto found = defaults_.find(name);
  if (found != defaults_.end()) return found->second;
  const SessionOption* option = FindSessionOption(name);
  return option == nullptr ? "" : option->Default();
}

absl::StatusOr<DescribedSession> ReadSession(const SessionText& text) {
  auto session = ReadAll(text);
  if (!session.ok()) return InFlagWords(session.status());
  return session;
}

absl::Status ReadListFiles(DescribedSession* session) {
  SessionOptions& options = session->options;
  const ListFiles& files = session->files;
  if (!files.input_nodes.empty()) {
    ASSIGN_OR_RETURN(InputList list, ReadInputListFile(files.input_nodes));
    options.input_nodes = std::move(list.ids);
    options.input_mask = std::move(list.mask);
  }
  if (!files.input_weight.empty()) {
    ASSIGN_OR_RETURN(options.input_weight, ReadWeightFile(files.input_weight));
  }
  if (auto* link = std::get_if<LinkOptions>(&options.kind)) {
    RETURN_IF_ERROR(ReadLinkFiles(files.links, *link));
  }
  if (!files.input_time.empty()) {
    ASSIGN_OR_RETURN(HopsOf(options.kind)->input_time,
                     ReadTimeFile(files.input_time));
  }
  return absl::OkStatus();
}

absl::StatusOr<SessionText> TextOf(const SessionOptions& options) {
  const DescribedKind& kind = DescribedKinds()[options.kind.index()];
  SessionDraft draft;
  draft.kind = std::string(kind.name);
  draft.common = options;
  RETURN_IF_ERROR(kind.describe(options.kind, draft));
  if (!options.input_mask.empty() || !options.input_weight.empty()) {
    return absl::InvalidArgumentError(
        "input_mask and input_weight have no text but the name of a file");
  }
  SessionText text;
  for (const SessionOption& option : SessionTable()) {
    std::string value = option.write(draft);
    if (!option.BelongsTo(draft.kind) || value == option.Default()) continue;
    text.Set(option.words.name, std::move(value));
  }
  return text;
}

absl::Status InJsonWords(const absl::Status& status) {
  if (status.ok()) return status;
  std::vector<std::pair<std::string, std::string>> words;
  for (const SessionOption& option : SessionTable()) {
    words.emplace_back(FlagOf(option.words.name), option.words.name);
  }
  words.emplace_back("\nallowed: ", "; allowed: ");
  return {status.code(), absl::StrReplaceAll(status.message(), words)};
}

}  // namespace tributary
