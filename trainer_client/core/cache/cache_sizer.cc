#include "trainer_client/core/cache/cache_sizer.h"

#include <algorithm>

#include "absl/types/span.h"
#include "partition/schema/feature_columns.h"

namespace tributary {
namespace {

constexpr uint64_t kShareOfReads = 16;
constexpr uint64_t kBatchesCounted = 16;
// Of the list: an id, its CRC32C; and where the row is.
constexpr uint64_t kFetchedBesideRow = 20;

const HotListType& ListedOf(const HotListJson& list, const std::string& name) {
  static const auto& none = *new HotListType;
  for (const HotListType& type : list.node_types) {
    if (type.name == name) return type;
  }
  return none;
}

}  // namespace

void CacheSizer::Start() {
  options_.reader->ReadJson(
      [self = shared_from_this()](const absl::StatusOr<HotListJson>& list) {
        if (self->state_ == State::kDone) return;
        list.ok() ? self->Plan(*list) : self->End(list.status());
      });
}

void CacheSizer::Observe(const BatchView& batch, uint64_t wire_bytes) {
  if (state_ == State::kPaused) {
    ReadNext();
  } else if (state_ == State::kCounting) {
    forecast_->Observe(batch, wire_bytes);
    if (forecast_->batches() >= kBatchesCounted) Choose();
  }
}

void CacheSizer::Plan(const HotListJson& list) {
  TrainerCacheSize most;
  most.bytes = options_.memory;
  plans_ = PlanHeldRows(options_.schema, list, options_.collect,
                        options_.feature_dtype, most, /*piece_bytes=*/1);
  std::vector<CacheForecast::Type> types;
  for (size_t t = 0; t < plans_.size(); ++t) {
    const HeldTypePlan& plan = plans_[t];
    listed_.push_back(ListedOf(list, plan.name));
    types.push_back(
        {.name = plan.name,
         .most_rows = plan.num_rows,
         .row_bytes =
             CollectedRowBytes(options_.schema.node_types[t], options_.collect,
                               options_.feature_dtype),
         .fetched_bytes = plan.stored_x + plan.form.y + kFetchedBesideRow});
  }
  forecast_.emplace(std::move(types));
  ReadNext();
}

void CacheSizer::ReadNext() {
  while (type_ < plans_.size() &&
         block_ * kHotListBlockRows >= plans_[type_].num_rows) {
    ++type_;
    block_ = 0;
  }
  if (type_ == plans_.size()) {
    state_ = State::kCounting;
    return;
  }
  if (read_bytes_ > options_.wire_bytes() / kShareOfReads) {
    state_ = State::kPaused;  // until the next batch
    return;
  }
  state_ = State::kReading;
  options_.reader->ReadBlock(
      listed_[type_], block_,
      [self = shared_from_this()](
          const absl::StatusOr<HotListReader::Block>& block) {
        if (self->state_ == State::kDone) return;
        if (!block.ok()) return self->End(block.status());
        self->read_bytes_ += block->order.size() + block->crc.size();
        self->forecast_->AddRanks(
            static_cast<int>(self->type_), self->block_ * kHotListBlockRows,
            absl::MakeConstSpan(
                reinterpret_cast<const int64_t*>(block->order.data()),
                block->order.size() / sizeof(int64_t)));
        ++self->block_;
        self->ReadNext();
      });
}

void CacheSizer::Choose() {
  state_ = State::kDone;
  const CacheForecast::Choice choice = forecast_->Choose(options_.batches);
  uint64_t rows = 0, all = 0;
  for (size_t t = 0; t < plans_.size(); ++t) {
    if (plans_[t].num_rows == 0) continue;
    rows += plans_[t].num_rows;
    all += static_cast<uint64_t>(options_.schema.node_types[t].num_nodes);
  }
  TrainerCacheSize size;
  // What there is memory for is the same share of each type's rows.
  const double share = all == 0 ? 0
                                : choice.share * static_cast<double>(rows) /
                                      static_cast<double>(all);
  if (share > 0) size.share = std::min(1.0, share);
  forecast_.reset();
  options_.chosen(std::make_pair(size, choice));
}

void CacheSizer::End(absl::Status why) {
  state_ = State::kDone;
  options_.chosen(std::move(why));
}

}  // namespace tributary
