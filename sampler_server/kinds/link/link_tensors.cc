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
  begin_ = context_.state->tensors.size();
  const std::string& suffix = part_.type->link_suffix;
  const bool timed = context_.plan->input_time == InputTimeMode::kGiven;
  AddTensor("input_id" + suffix, DType::kInt64, {Signed(part_.num_links)});
  if (plan_.accept_exhausted) {
    AddTensor("num_exhausted" + suffix, DType::kInt64, {1});
  }
  has_pairs() ? AddPairs(timed) : AddTriplets(timed);
  end_ = context_.state->tensors.size();
}

void LinkTensors::AddPairs(bool timed) {
  const std::string& suffix = part_.type->link_suffix;
  const int64_t all = Signed(part_.num_links + part_.num_negatives);
  AddTensor("edge_label_index" + suffix, DType::kInt32, {2, all});
  if (context_.plan->label == LabelType::kInt64) {
    AddTensor("edge_label" + suffix, DType::kInt64, {all});
  } else if (context_.plan->label == LabelType::kFloat32 ||
             plan_.mode != NegativeMode::kNone) {
    AddTensor("edge_label" + suffix, DType::kFloat32, {all});
  }
  if (timed) AddTensor("edge_label_time" + suffix, DType::kInt64, {all});
}

void LinkTensors::AddTriplets(bool timed) {
  const SupervisionType& type = *part_.type;
  const int64_t n = Signed(part_.num_links);
  const auto amount = static_cast<int64_t>(plan_.amount);
  AddTensor("src_index" + type.src_suffix, DType::kInt32, {n});
  AddTensor("dst_pos_index" + type.dst_suffix, DType::kInt32, {n});
  AddTensor("dst_neg_index" + type.dst_suffix, DType::kInt32,
            amount == 1 ? Shape{n} : Shape{n, amount});
  if (!timed) return;
  AddTensor("seed_time" + type.src_suffix, DType::kInt64, {n});
  if (type.src_suffix == type.dst_suffix) return;
  AddTensor("seed_time" + type.dst_suffix, DType::kInt64, {n});
}

KindTensor* LinkTensors::Find(const std::string& name) {
  for (size_t i = begin_; i < end_; ++i) {
    KindTensor& tensor = context_.state->tensors[i];
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

// Returns the tensor's elements, which are 0; empty if there is no such tensor.
template <typename T>
absl::Span<T> LinkTensors::Values(const std::string& name) {
  KindTensor* const tensor = Find(name);
  if (tensor == nullptr) return {};
  const auto count = static_cast<size_t>(NumElements(tensor->shape));
  tensor->bytes.assign(count * sizeof(T), 0);
  return absl::MakeSpan(reinterpret_cast<T*>(tensor->bytes.data()), count);
}

void LinkTensors::Write() {
  const SupervisionType& type = *part_.type;
  WriteInputs();
  if (has_pairs()) {
    WritePairs();
    WriteLabels();
    WriteTimes("edge_label_time" + type.link_suffix, part_.num_negatives);
    return;
  }
  WriteTriplets();
  WriteTimes("seed_time" + type.src_suffix, 0);
  if (type.src_suffix == type.dst_suffix) return;
  WriteTimes("seed_time" + type.dst_suffix, 0);
}

void LinkTensors::WriteInputs() {
  const std::string& suffix = part_.type->link_suffix;
  const absl::Span<int64_t> ids = Values<int64_t>("input_id" + suffix);
  for (uint64_t i = 0; i < ids.size(); ++i) {
    ids[i] =
        context_.input_number[part_.first + i] - Signed(part_.first_number);
  }
  if (!plan_.accept_exhausted) return;
  Values<int64_t>("num_exhausted" + suffix)[0] = Signed(part_.exhausted);
}

void LinkTensors::WritePairs() {
  const absl::Span<int32_t> index =
      Values<int32_t>("edge_label_index" + part_.type->link_suffix);
  const uint64_t n = part_.num_links, all = n + part_.num_negatives;
  for (uint64_t i = 0; i < all; ++i) {
    const bool has_source = i < n || plan_.mode == NegativeMode::kBinary;
    const uint64_t source = has_source ? i : plan_.LinkOf(i - n, n);
    index[i] = static_cast<int32_t>(part_.source_numbers[source]);
    index[all + i] = static_cast<int32_t>(part_.destination_numbers[i]);
  }
}

void LinkTensors::WriteTriplets() {
  const SupervisionType& type = *part_.type;
  const auto fill = [](absl::Span<int32_t> to,
                       absl::Span<const uint32_t> from) {
    std::copy_n(from.begin(), to.size(), to.begin());
  };
  fill(Values<int32_t>("src_index" + type.src_suffix), part_.source_numbers);
  const auto destinations = absl::MakeConstSpan(part_.destination_numbers);
  fill(Values<int32_t>("dst_pos_index" + type.dst_suffix), destinations);
  fill(Values<int32_t>("dst_neg_index" + type.dst_suffix),
       destinations.subspan(part_.num_links));
}

// Negatives have label 0.
void LinkTensors::WriteLabels() {
  const std::string name = "edge_label" + part_.type->link_suffix;
  const size_t width = LabelBytes(context_.plan->label);
  if (width == 0) {
    const absl::Span<float> labels = Values<float>(name);
    std::fill_n(labels.begin(),
                std::min<uint64_t>(labels.size(), part_.num_links), 1.0f);
    return;
  }
  const absl::Span<const uint8_t> given =
      part_.Of(context_.links->label, width);
  KindTensor& tensor = *Find(name);  // in bytes: the labels' own
  tensor.bytes.assign(width * (part_.num_links + part_.num_negatives), 0);
  std::copy(given.begin(), given.end(), tensor.bytes.begin());
}

void LinkTensors::WriteTimes(const std::string& name, uint64_t negatives) {
  const absl::Span<int64_t> times = Values<int64_t>(name);
  if (times.empty()) return;
  const absl::Span<const int64_t> time = part_.Of(context_.state->tree_time);
  std::copy(time.begin(), time.end(), times.begin());
  for (uint64_t j = 0; j < negatives; ++j) {
    times[part_.num_links + j] = time[plan_.LinkOf(j, part_.num_links)];
  }
}

}  // namespace tributary
