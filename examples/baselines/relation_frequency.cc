#include "examples/baselines/relation_frequency.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {

RelationFrequency::RelationFrequency(const TypedLinks& train) {
  for (size_t i = 0; i < train.size(); ++i) {
    by_end_[static_cast<size_t>(LinkEnd::kSource)]
           [{train.relation[i], train.source[i]}] += 1;
    by_end_[static_cast<size_t>(LinkEnd::kDestination)]
           [{train.relation[i], train.destination[i]}] += 1;
  }
}

absl::Status RelationFrequency::Score(uint32_t relation, LinkEnd asked,
                                      absl::Span<const int64_t> given,
                                      absl::Span<float> scores) {
  if (given.empty()) return absl::OkStatus();
  const auto nodes = static_cast<int64_t>(scores.size() / given.size());
  std::fill(scores.begin(), scores.end(), 0.0F);
  const Counts& counts = by_end_[static_cast<size_t>(asked)];
  for (auto at = counts.lower_bound({relation, 0});
       at != counts.end() && at->first.first == relation; ++at) {
    const int64_t node = at->first.second;
    if (node < 0 || node >= nodes) {
      return absl::OutOfRangeError(absl::StrCat("a training link has the node ",
                                                node, "; allowed: 0 to ",
                                                nodes - 1));
    }
    for (size_t row = 0; row < given.size(); ++row) {
      scores[row * static_cast<size_t>(nodes) + static_cast<size_t>(node)] =
          at->second;
    }
  }
  return absl::OkStatus();
}

}  // namespace tributary
