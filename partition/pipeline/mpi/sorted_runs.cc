#include "partition/pipeline/mpi/sorted_runs.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace tributary {

void SortedRuns::Add(absl::Span<const HalfEdge> edges) {
  open_.insert(open_.end(), edges.begin(), edges.end());
  if (open_.size() >= run_edges_) CloseRun();
}

void SortedRuns::Merge(absl::FunctionRef<void(const HalfEdge&)> take) {
  CloseRun();
  using Head = std::pair<HalfEdge, size_t>;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<size_t> next(runs_.size(), 0);
  for (size_t run = 0; run < runs_.size(); ++run) {
    heads.emplace(runs_[run][0], run);
  }
  HalfEdge last = {-1, -1};
  while (!heads.empty()) {
    const auto [edge, run] = heads.top();
    heads.pop();
    if (++next[run] < runs_[run].size()) {
      heads.emplace(runs_[run][next[run]], run);
    } else {
      std::vector<HalfEdge>().swap(runs_[run]);
    }
    if (edge == last) continue;
    take(edge);
    last = edge;
  }
}

size_t SortedRuns::size() const {
  size_t sum = open_.size();
  for (const auto& run : runs_) sum += run.size();
  return sum;
}

void SortedRuns::CloseRun() {
  if (open_.empty()) return;
  std::sort(open_.begin(), open_.end());
  open_.erase(std::unique(open_.begin(), open_.end()), open_.end());
  runs_.emplace_back(open_.begin(), open_.end());
  open_.clear();
}

}  // namespace tributary
