#include "trainer_client/core/session_text/session_table.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"

namespace tributary {
namespace {

std::string KindNames() {
  return absl::StrJoin(DescribedKinds(), ", ",
                       [](std::string* out, const DescribedKind& kind) {
                         out->append(kind.name.data(), kind.name.size());
                       });
}

SessionOption Kind() {
  return {{"kind",
           "KIND",
           "What is sampled: node (neighbours), walk (random walks), ppr (the "
           "nodes of the largest personalised PageRank), layerwise (LADIES), "
           "link (neighbours of links and negatives)",
           {}},
          OptionForm::kText,
          ',',
          [](absl::string_view text, SessionDraft& draft) {
            const bool known = absl::c_any_of(
                DescribedKinds(),
                [&](const DescribedKind& kind) { return kind.name == text; });
            if (!known) return RefuseOption("kind", text, KindNames());
            draft.kind = std::string(text);
            return absl::OkStatus();
          },
          [](const SessionDraft& draft) { return draft.kind; }};
}

std::vector<SessionOption> MakeTable() {
  std::vector<SessionOption> table;
  table.push_back(Kind());
  AddCommonOptions(table);
  for (const DescribedKind& kind : DescribedKinds()) kind.add_options(table);
  return table;
}

}  // namespace

const std::vector<DescribedKind>& DescribedKinds() {
  static const auto& kinds = *new std::vector<DescribedKind>{
      DescribedNodes(), DescribedLinks(), DescribedWalks(), DescribedPpr(),
      DescribedLayers()};
  return kinds;
}

const std::vector<SessionOption>& SessionTable() {
  static const auto& table = *new std::vector<SessionOption>(MakeTable());
  return table;
}

const SessionOption* FindSessionOption(absl::string_view name) {
  for (const SessionOption& option : SessionTable()) {
    if (option.words.name == name) return &option;
  }
  return nullptr;
}

}  // namespace tributary
