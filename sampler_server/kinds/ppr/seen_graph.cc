#include "sampler_server/kinds/ppr/seen_graph.h"

namespace tributary {
namespace {

constexpr uint64_t kUnwanted = UINT64_MAX;

// Returns the memory of a vector while it grows by `more`: the old array and a
// new one of twice the size.
template <typename T>
size_t BytesToGrow(const std::vector<T>& values, uint64_t more) {
  const uint64_t size = values.size() + more;
  if (size <= values.capacity()) return values.capacity() * sizeof(T);
  return (values.capacity() + 2 * size) * sizeof(T);
}

}  // namespace

void SeenGraph::AddDegrees(absl::Span<const uint64_t> degrees) {
  degree_.insert(degree_.end(), degrees.begin(), degrees.end());
  begin_.resize(degree_.size(), kUnwanted);
}

bool SeenGraph::WantNeighbors(uint32_t number) {
  if (begin_[number] != kUnwanted) return false;
  begin_[number] = 0;
  return true;
}

void SeenGraph::AddNeighbors(absl::Span<const uint32_t> wanted,
                             absl::Span<const uint32_t> neighbors) {
  uint64_t at = neighbors_.size();
  for (const uint32_t number : wanted) {
    begin_[number] = at;
    at += degree_[number];
  }
  neighbors_.insert(neighbors_.end(), neighbors.begin(), neighbors.end());
}

size_t SeenGraph::bytes() const {
  return nodes_.bytes() +
         (degree_.capacity() + begin_.capacity()) * sizeof(uint64_t) +
         neighbors_.capacity() * sizeof(uint32_t);
}

size_t SeenGraph::BytesToAdd(uint64_t degrees, uint64_t neighbors) const {
  return nodes_.bytes() + BytesToGrow(degree_, degrees) +
         BytesToGrow(begin_, degrees) + BytesToGrow(neighbors_, neighbors);
}

}  // namespace tributary
