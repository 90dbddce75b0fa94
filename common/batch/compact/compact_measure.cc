#include "common/batch/compact/compact_measure.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/batch/compact/compact_writer.h"

namespace tributary {
namespace {

template <typename T>
absl::Span<const T> ValuesOf(const TensorView* tensor) {
  if (tensor == nullptr) return {};
  return {reinterpret_cast<const T*>(tensor->data.data()),
          tensor->data.size() / sizeof(T)};
}

// The nodes of each type that have numbers so far, by the suffix of the type's
// tensors.
class KnownNodes {
 public:
  explicit KnownNodes(const BatchView& batch) : batch_(batch) {}

  uint32_t& Of(const std::string& type) {
    const auto [at, is_new] = known_.try_emplace(type, 0);
    if (is_new) at->second = Inputs(type);
    return at->second;
  }

 private:
  // Without counts all nodes are known.
  uint32_t Inputs(const std::string& type) const {
    const auto counts =
        ValuesOf<int64_t>(batch_.Find(absl::StrCat("num_sampled_nodes", type)));
    const auto nodes =
        ValuesOf<int64_t>(batch_.Find(absl::StrCat("n_id", type)));
    return static_cast<uint32_t>(
        counts.empty() ? static_cast<int64_t>(nodes.size()) : counts.front());
  }

  const BatchView& batch_;
  std::map<std::string, uint32_t> known_;
};

// One edge_index, which is measured hop by hop.
class EdgeTensor {
 public:
  EdgeTensor(const BatchView& batch, const TensorView& edge_index) {
    const std::string suffix(
        edge_index.name.substr(std::string_view("edge_index").size()));
    if (!suffix.empty()) {  // "/src__rel__dst"
      source_type_ = suffix.substr(0, suffix.find("__"));
      target_type_ = absl::StrCat("/", suffix.substr(suffix.rfind("__") + 2));
    }
    const auto ends = ValuesOf<uint32_t>(&edge_index);
    sources_ = ends.first(ends.size() / 2);
    targets_ = ends.subspan(ends.size() / 2);
    const TensorView* hops =
        batch.Find(absl::StrCat("num_sampled_edges", suffix));
    for (const int64_t edges : ValuesOf<int64_t>(hops)) {
      hops_.push_back(static_cast<size_t>(edges));
    }
    if (hops == nullptr) hops_.push_back(sources_.size());
  }

  size_t num_hops() const { return hops_.size(); }

  // Measures the next hop.
  void AddHop(size_t hop, KnownNodes& known) {
    if (hop >= hops_.size() || hops_[hop] == 0) return;
    const size_t edges = hops_[hop];
    const auto sources = sources_.subspan(measured_, edges);
    const auto targets = targets_.subspan(measured_, edges);
    measured_ += edges;
    if (std::is_sorted(targets.begin(), targets.end()) ||
        !std::is_sorted(sources.begin(), sources.end())) {
      AddRuns(targets, sources, false, known.Of(source_type_));
    } else {
      AddRuns(sources, targets, true, known.Of(target_type_));
    }
  }

  uint64_t saving() const {
    return runs_.empty() ? 0 : ChooseForm(runs_).left_out();
  }

 private:
  // Edges of one run are ordered by the expanded node.
  void AddRuns(absl::Span<const uint32_t> expanded,
               absl::Span<const uint32_t> neighbors, bool reversed,
               uint32_t& known) {
    for (size_t begin = 0; begin < expanded.size();) {
      const auto end =
          std::is_sorted_until(expanded.begin() + begin, expanded.end());
      const auto size = static_cast<size_t>(end - expanded.begin()) - begin;
      MeasuredRun measured{{}, NeighborMeasure(known)};
      measured.run.edges = static_cast<uint32_t>(size);
      measured.run.first_node = expanded[begin];
      measured.run.nodes = *(end - 1) - expanded[begin] + 1;
      measured.run.reversed = reversed;
      measured.neighbors.Add(neighbors.subspan(begin, size));
      known = std::max(known, measured.neighbors.largest() + 1);
      runs_.push_back(measured);
      begin += size;
    }
  }

  std::string source_type_, target_type_;
  absl::Span<const uint32_t> sources_, targets_;
  std::vector<size_t> hops_;  // edges of each
  size_t measured_ = 0;       // edges
  std::vector<MeasuredRun> runs_;
};

uint64_t SavingOfEdgeIds(absl::Span<const uint64_t> ids) {
  uint64_t bits = 0;
  for (const uint64_t id : ids) bits |= id;
  return LeftOutOfEdgeIds(ids.size(), BytesOfNumber(bits));
}

}  // namespace

uint64_t CompactSavingOf(const BatchView& batch) {
  uint64_t saving = 0;
  std::vector<EdgeTensor> tensors;
  for (const TensorView& tensor : batch.tensors()) {
    if (absl::StartsWith(tensor.name, "edge_index")) {
      tensors.emplace_back(batch, tensor);
    } else if (absl::StartsWith(tensor.name, "e_id")) {
      saving += SavingOfEdgeIds(ValuesOf<uint64_t>(&tensor));
    }
  }
  // Nodes get their numbers hop by hop, and in a hop type by type.
  KnownNodes known(batch);
  size_t hops = 0;
  for (const EdgeTensor& tensor : tensors) {
    hops = std::max(hops, tensor.num_hops());
  }
  for (size_t hop = 0; hop < hops; ++hop) {
    for (EdgeTensor& tensor : tensors) tensor.AddHop(hop, known);
  }
  for (const EdgeTensor& tensor : tensors) saving += tensor.saving();
  return saving;
}

}  // namespace tributary
