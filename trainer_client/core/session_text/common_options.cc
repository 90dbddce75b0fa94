// The options that sessions of all kinds have.
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/session/limits.h"
#include "common/text/parse_number.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

constexpr char kInputNodesAllowed[] =
    "a split (train, SCHEME/train), ids (1,2,3), @FILE.npy (ids or a mask) or "
    "* (all); TYPE: before it, once, in a typed graph";

// Parses comma-separated ids; nullopt if one is not.
std::optional<std::vector<int64_t>> ParseIds(absl::string_view text) {
  std::vector<int64_t> ids;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const auto id = ParseNumber<int64_t>(part);
    if (!id || *id < 0) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

// Ids have no slash, and names of splits no comma: "0/train" is the split of a
// scheme named 0, as `inspect` prints it.
bool IsIdList(absl::string_view text) {
  return (absl::ascii_isdigit(text[0]) || text[0] == '-') &&
         !absl::StrContains(text, '/');
}

absl::Status ReadInputNodes(absl::string_view text, SessionDraft& draft) {
  CommonLoaderOptions& common = draft.common;
  absl::string_view rest = text;
  // Types and names of files may contain colons.
  size_t colon = text.find(":@");
  if (colon == absl::string_view::npos) colon = text.rfind(':');
  if (colon != absl::string_view::npos && !absl::StartsWith(text, "@")) {
    common.input_type = std::string(text.substr(0, colon));
    rest = text.substr(colon + 1);
  }
  // Types of nodes have no comma: "paper:0,paper:1" names its type twice.
  const bool typed_well =
      rest.size() == text.size() ||
      (colon > 0 && !absl::StrContains(common.input_type, ','));
  if (!typed_well || rest.empty() || rest == "@") {
    return RefuseOption("input_nodes", text, kInputNodesAllowed);
  }
  if (rest[0] == '@') {
    draft.files.input_nodes = std::string(rest.substr(1));
    return absl::OkStatus();
  }
  if (rest == "*") {
    common.all_nodes = true;
    return absl::OkStatus();
  }
  if (!IsIdList(rest)) {
    common.input_split = std::string(rest);
    return absl::OkStatus();
  }
  auto ids = ParseIds(rest);
  if (!ids.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input-nodes \"", text,
        "\": an id is a whole number from 0\nallowed: ", kInputNodesAllowed));
  }
  common.input_nodes = *std::move(ids);
  return absl::OkStatus();
}

std::string WriteInputNodes(const SessionDraft& draft) {
  const CommonLoaderOptions& common = draft.common;
  std::string inputs = common.all_nodes ? "*"
                       : !common.input_split.empty()
                           ? common.input_split
                           : absl::StrJoin(common.input_nodes, ",");
  if (!draft.files.input_nodes.empty()) {
    inputs = absl::StrCat("@", draft.files.input_nodes);
  }
  return common.input_type.empty() || inputs.empty()
             ? inputs
             : absl::StrCat(common.input_type, ":", inputs);
}

SessionOption InputNodes() {
  return {{"input_nodes",
           "NODES",
           "A split (train, SCHEME/train), ids (1,2,3), @FILE.npy (ids or "
           "a mask) or * (all); TYPE: before it in a typed graph",
           {"node", "walk", "ppr", "layerwise"}},
          OptionForm::kText,
          ',',
          ReadInputNodes,
          WriteInputNodes};
}

SessionOption InputWeight() {
  return {{"input_weight",
           "WEIGHTS",
           "@FILE.npy, a weight for each input: an epoch draws as many "
           "inputs as there are, in proportion to their weights",
           {}},
          OptionForm::kText,
          ',',
          [](absl::string_view text, SessionDraft& draft) {
            if (text.size() < 2 || text[0] != '@') {
              return RefuseOption("input_weight", text,
                                  "@FILE.npy, a weight for each input");
            }
            draft.files.input_weight = std::string(text.substr(1));
            return absl::OkStatus();
          },
          [](const SessionDraft& draft) {
            const std::string& file = draft.files.input_weight;
            return file.empty() ? "" : absl::StrCat("@", file);
          }};
}

SessionOption FeatureDTypeOption() {
  return {{"feature_dtype",
           "DTYPE",
           "Precision of floating x and edge_attr: stored, float16, "
           "bfloat16, int8 (each row with a scale)",
           {}},
          OptionForm::kText,
          ',',
          [](absl::string_view text, SessionDraft& draft) {
            const auto dtype = FeatureDTypeFromName({text.data(), text.size()});
            if (!dtype.ok()) {
              return RefuseOption(
                  "feature_dtype", text,
                  {kFeatureDTypeNames.data(), kFeatureDTypeNames.size()});
            }
            draft.common.feature_dtype = *dtype;
            return absl::OkStatus();
          },
          [](const SessionDraft& draft) {
            return std::string(FeatureDTypeName(draft.common.feature_dtype));
          }};
}

SessionOption Collect() {
  return {{"collect",
           "COLUMNS",
           "Stored columns that batches hold, of x, y, edge_attr, time (of "
           "nodes), weight (of edges) and seed_time (of inputs); or none",
           {}},
          OptionForm::kText,
          ',',
          [](absl::string_view text, SessionDraft& draft) {
            const auto columns =
                CollectedColumnsFromText({text.data(), text.size()});
            if (!columns.ok()) {
              return RefuseOption(
                  "collect", text,
                  {kCollectedColumnNames.data(), kCollectedColumnNames.size()});
            }
            draft.common.collect = *columns;
            return absl::OkStatus();
          },
          [](const SessionDraft& draft) {
            return CollectedColumnsText(draft.common.collect);
          }};
}

}  // namespace

void AddCommonOptions(std::vector<SessionOption>& table) {
  table.push_back(InputNodes());
  table.push_back(WholeOption(
      {"batch_size", "B", "Inputs of a batch", {}}, 1, kMaxBatchSize,
      [](auto& draft) -> auto& { return draft.common.batch_size; }));
  table.push_back(ChoiceOption(
      {"shuffle", "ORDER", "Order of the inputs: none, global", {}},
      {"none", "global"},
      [](auto& draft) -> auto& { return draft.common.shuffle; }));
  table.push_back(FlagOption(
      {"drop_last", "", "Leave out the short batch at the end of an epoch", {}},
      [](auto& draft) -> auto& { return draft.common.drop_last; }));
  table.push_back(InputWeight());
  table.push_back(WholeOption(
      {"random_seed", "S", "Random seed, 0 to 2^64-1", {}}, 0, UINT64_MAX,
      [](auto& draft) -> auto& { return draft.common.random_seed; }));
  table.push_back(Collect());
  table.push_back(FeatureDTypeOption());
  table.push_back(FlagOption(
      {"collect_degrees",
       "",
       "Add in_degree and out_degree of the batch's nodes in the whole "
       "graph, for each edge type (needs a graph partitioned with --degrees)",
       {}},
      [](auto& draft) -> auto& { return draft.common.collect_degrees; }));
  table.push_back(FlagOption(
      {"omit_edge_ids",
       "",
       "Leave e_id out of batches, which saves its bytes and the time to read "
       "it (needs a kind whose batches have edges)",
       {}},
      [](auto& draft) -> auto& { return draft.common.omit_edge_ids; }));
}

}  // namespace tributary
