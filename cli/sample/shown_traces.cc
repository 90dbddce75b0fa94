#include "cli/sample/shown_traces.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "common/trace/explain.h"

namespace tributary {

TracedObserver ShownTraces::Observer() {
  return [this](const BatchTimeline& timeline) {
    MutexLock lock(mutex_);
    if (kept_.size() == kMost) kept_.pop_front();
    kept_.push_back(timeline);
  };
}

void ShownTraces::Print(const BatchKey& key) {
  std::optional<BatchTimeline> found;
  {
    MutexLock lock(mutex_);
    const auto at = std::find_if(
        kept_.begin(), kept_.end(),
        [&key](const BatchTimeline& timeline) { return timeline.key == key; });
    if (at != kept_.end()) {
      found = std::move(*at);
      kept_.erase(kept_.begin(), at + 1);
    }
  }
  if (!found.has_value()) return;
  for (const std::string& line : ExplainTimeline(*found)) {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

}  // namespace tributary
