#include "trainer_client/core/cache/cache_forecast.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tributary {
namespace {

constexpr uint64_t kSampledIds = uint64_t{1} << 18;  // of the list, about
constexpr size_t kNodesOfBatch = size_t{1} << 17;    // that are looked at

// Whether the id is of the sample: by bits of a product, as ids may be of any
// pattern.
bool IsSampled(int64_t id, uint64_t one_in) {
  const uint64_t mixed =
      static_cast<uint64_t>(id) * uint64_t{0x9E3779B97F4A7C15};
  return (mixed >> 32) % one_in == 0;
}

}  // namespace

CacheForecast::CacheForecast(std::vector<Type> types) {
  uint64_t rows = 0;
  for (const Type& type : types) rows += type.most_rows;
  sampled_one_in_ = 1 + rows / kSampledIds;
  for (Type& type : types) types_.emplace_back().type = std::move(type);
}

void CacheForecast::AddRanks(int type, uint64_t first,
                             absl::Span<const int64_t> ids) {
  Counted& counted = types_[type];
  const uint64_t most = counted.type.most_rows;
  for (size_t i = 0; i < ids.size() && first + i < most; ++i) {
    if (!IsSampled(ids[i], sampled_one_in_)) continue;
    counted.share_of[ids[i]] =
        static_cast<uint8_t>((first + i) * kShares / most);
  }
}

void CacheForecast::Count(const TensorView& n_id, Counted& counted) const {
  const size_t nodes = n_id.data.size() / sizeof(int64_t);
  const size_t stride = 1 + nodes / kNodesOfBatch;
  const auto weight = static_cast<double>(stride * sampled_one_in_);
  for (size_t i = 0; i < nodes; i += stride) {
    int64_t id;
    std::memcpy(&id, n_id.data.data() + i * sizeof(id), sizeof(id));
    if (!IsSampled(id, sampled_one_in_)) continue;
    const auto found = counted.share_of.find(id);
    if (found != counted.share_of.end()) counted.nodes[found->second] += weight;
  }
}

void CacheForecast::Observe(const BatchView& batch, uint64_t wire_bytes) {
  const TensorView* untyped = batch.Find("n_id");
  for (Counted& counted : types_) {
    const TensorView* n_id =
        untyped != nullptr ? untyped : batch.Find("n_id/" + counted.type.name);
    if (n_id != nullptr && counted.type.most_rows > 0) Count(*n_id, counted);
  }
  ++batches_;
  wire_bytes_ += wire_bytes;
}

CacheForecast::Choice CacheForecast::Choose(uint64_t batches) const {
  if (batches_ == 0) return {};
  const auto observed = static_cast<double>(batches_);
  Choice best;
  best.batch_bytes = static_cast<double>(wire_bytes_) / observed;
  double saved = 0, fetched = 0, most = 0;  // saved: of a batch
  for (size_t i = 0; i < kShares; ++i) {
    for (const Counted& counted : types_) {
      saved += counted.nodes[i] / observed *
               static_cast<double>(counted.type.row_bytes);
      fetched += static_cast<double>(counted.type.most_rows) / kShares *
                 static_cast<double>(counted.type.fetched_bytes);
    }
    const double gained = saved * static_cast<double>(batches) - fetched;
    if (gained <= most) continue;
    most = gained;
    best.share = static_cast<double>(i + 1) / kShares;
    best.saved = best.batch_bytes > 0 ? saved / best.batch_bytes : 0;
    best.fetched_bytes = fetched;
  }
  if (best.saved < kLeastSavedShare) best.share = 0;
  return best;
}

}  // namespace tributary
