#include "trainer_client/torch/tasks/known_answers.h"

#include <algorithm>
#include <utility>

namespace tributary {

KnownAnswers::KnownAnswers(absl::Span<const TypedLinks* const> lists) {
  size_t links = 0;
  for (const TypedLinks* list : lists) links += list->size();
  for (const LinkEnd asked : {LinkEnd::kSource, LinkEnd::kDestination}) {
    std::vector<Answer> answers;
    answers.reserve(links);
    for (const TypedLinks* list : lists) {
      for (size_t i = 0; i < list->size(); ++i) {
        int64_t given = list->source[i], answer = list->destination[i];
        if (asked == LinkEnd::kSource) std::swap(given, answer);
        answers.push_back({list->relation[i], given, answer});
      }
    }
    by_end_[static_cast<size_t>(asked)] = IndexOf(std::move(answers));
  }
}

KnownAnswers::Index KnownAnswers::IndexOf(std::vector<Answer> answers) {
  std::sort(answers.begin(), answers.end());
  answers.erase(std::unique(answers.begin(), answers.end()), answers.end());
  Index index;
  index.answers.reserve(answers.size());
  for (const Answer& a : answers) {
    const Index::Key key{a.relation, a.given};
    if (index.keys.empty() || index.keys.back() != key) {
      index.keys.push_back(key);
      index.begin.push_back(index.answers.size());
    }
    index.answers.push_back(a.answer);
  }
  index.begin.push_back(index.answers.size());
  return index;
}

absl::Span<const int64_t> KnownAnswers::Of(uint32_t relation, LinkEnd asked,
                                           int64_t given) const {
  const Index& index = by_end_[static_cast<size_t>(asked)];
  const Index::Key key{relation, given};
  const auto at = std::lower_bound(index.keys.begin(), index.keys.end(), key);
  if (at == index.keys.end() || *at != key) return {};
  const auto k = static_cast<size_t>(at - index.keys.begin());
  return absl::MakeConstSpan(index.answers)
      .subspan(index.begin[k], index.begin[k + 1] - index.begin[k]);
}

}  // namespace tributary
