#include "sampler_server/kinds/link/link_tensors.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tributary {
namespace {

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

void LinkTensors::AddTensor(const std::string& name, DType dtype, Shape shape) {
  context_.state->tensors.push_back({name, dtype, std::move(shape), {}});
}

void LinkTensors::Add() {
  const int64_t n = Signed(num_links_), m = Signed(num_negatives_);
  const bool timed = context_.plan->input_time == InputTimeMode::kGiven;
  if (plan_.accept_exhausted) {
    AddTensor("num_exhausted" + plan_.link_suffix, DType::kInt64, {1});
  }
  if (has_pairs()) {
    AddTensor("edge_label_index" + plan_.link_suffix, DType::kInt32,
              {2, n + m});
    if (context_.plan->label == LabelType::kInt64) {
      AddTensor("edge_label" + plan_.link_suffix, DType::kInt64, {n + m});
    } else if (context_.plan->label == LabelType::kFloat32 ||
               plan_.mode != NegativeMode::kNone) {
      AddTensor("edge_label" + plan_.link_suffix, DType::kFloat32, {n + m});
    }
    if (timed) {
      AddTensor("edge_label_time" + plan_.link_suffix, DType::kInt64, {n + m});
    }
    return;
  }
  AddTensor("src_index" + plan_.src_suffix, DType::kInt32, {n});
  AddTensor("dst_pos_index" + plan_.dst_suffix, DType::kInt32, {n});
  AddTensor("dst_neg_index" + plan_.dst_suffix, DType::kInt32,
            m == n ? Shape{n} : Shape{n, m / n});
  if (!timed) return;
  AddTensor("seed_time" + plan_.src_suffix, DType::kInt64, {n});
  if (plan_.src_suffix == plan_.dst_suffix) return;
  AddTensor("seed_time" + plan_.dst_suffix, DType::kInt64, {n});
}

// The tensor's elements, zero; none where the batch has no such tensor.
template <typename T>
absl::Span<T> LinkTensors::Bytes(const std::string& name) {
  for (KindTensor& tensor : context_.state->tensors) {
    if (tensor.name != name) continue;
    const auto count = static_cast<size_t>(NumElements(tensor.shape));
    tensor.bytes.assign(count * sizeof(T), 0);
    return absl::MakeSpan(reinterpret_cast<T*>(tensor.bytes.data()), count);
  }
  return {};
}

void LinkTensors::Write(absl::Span<const uint32_t> sources,
                        absl::Span<const uint32_t> destinations,
                        uint64_t exhausted) {
  if (plan_.accept_exhausted) {
    Bytes<int64_t>("num_exhausted" + plan_.link_suffix)[0] = Signed(exhausted);
  }
  if (has_pairs()) {
    WritePairs(sources, destinations);
    WriteLabels();
    WriteTimes("edge_label_time" + plan_.link_suffix, num_negatives_);
  } else {
    WriteTriplets(sources, destinations);
    WriteTimes("seed_time" + plan_.src_suffix, 0);
    if (plan_.src_suffix != plan_.dst_suffix) {
      WriteTimes("seed_time" + plan_.dst_suffix, 0);
    }
  }
}

void LinkTensors::WritePairs(absl::Span<const uint32_t> sources,
                             absl::Span<const uint32_t> destinations) {
  const absl::Span<int32_t> index =
      Bytes<int32_t>("edge_label_index" + plan_.link_suffix);
  const uint64_t all = num_links_ + num_negatives_;
  for (uint64_t i = 0; i < all; ++i) {
    const bool has_source =
        i < num_links_ || plan_.mode == NegativeMode::kBinary;
    const uint64_t source =
        has_source ? i : plan_.LinkOf(i - num_links_, num_links_);
    index[i] = static_cast<int32_t>(sources[source]);
    index[all + i] = static_cast<int32_t>(destinations[i]);
  }
}

void LinkTensors::WriteTriplets(absl::Span<const uint32_t> sources,
                                absl::Span<const uint32_t> destinations) {
  const auto fill = [](absl::Span<int32_t> to,
                       absl::Span<const uint32_t> from) {
    std::copy_n(from.begin(), to.size(), to.begin());
  };
  fill(Bytes<int32_t>("src_index" + plan_.src_suffix), sources);
  fill(Bytes<int32_t>("dst_pos_index" + plan_.dst_suffix), destinations);
  fill(Bytes<int32_t>("dst_neg_index" + plan_.dst_suffix),
       destinations.subspan(num_links_));
}

// Negatives have label 0.
void LinkTensors::WriteLabels() {
  const std::string name = "edge_label" + plan_.link_suffix;
  const std::vector<uint8_t>& given = context_.links->label;
  if (context_.plan->label != LabelType::kNone) {
    // In bytes: the labels' own.
    for (KindTensor& tensor : context_.state->tensors) {
      if (tensor.name != name) continue;
      tensor.bytes.assign(
          given.size() / num_links_ * (num_links_ + num_negatives_), 0);
      std::copy(given.begin(), given.end(), tensor.bytes.begin());
    }
    return;
  }
  const absl::Span<float> labels = Bytes<float>(name);
  std::fill_n(labels.begin(), std::min<uint64_t>(labels.size(), num_links_),
              1.0f);
}

void LinkTensors::WriteTimes(const std::string& name, uint64_t negatives) {
  const absl::Span<int64_t> times = Bytes<int64_t>(name);
  if (times.empty()) return;
  const std::vector<int64_t>& time = context_.state->tree_time;
  std::copy(time.begin(), time.end(), times.begin());
  for (uint64_t j = 0; j < negatives; ++j) {
    times[num_links_ + j] = time[plan_.LinkOf(j, num_links_)];
  }
}

}  // namespace tributary
