#include "sampler_server/engine/ids/local_numbering.h"

#include <algorithm>
#include <functional>

#include "common/runtime/stoppable_sort.h"

namespace tributary {
namespace {

constexpr size_t kBlock = 1024;

}  // namespace

void LocalNumbering::Reset() {
  ids_.clear();
  table_.Clear();
}

void LocalNumbering::ShrinkToIds() {
  DropTable();
  ids_.shrink_to_fit();
}

void LocalNumbering::DropIds() {
  DropTable();
  std::vector<uint64_t>().swap(ids_);
}

void LocalNumbering::ReduceIds(uint64_t modulus) {
  DropTable();
  for (uint64_t& id : ids_) id %= modulus;
}

// Makes room for half of the ids that come (the rest are repeats, or the table
// grows again), if that may be had, and block by block for what is needed.
bool LocalNumbering::Number(absl::Span<const uint64_t> ids, uint32_t* local,
                            size_t most_bytes, StopCheck* stop) {
  const size_t most = ids_.size() + ids.size() + 1;
  const uint64_t hope =
      std::min<uint64_t>(ids_.size() + ids.size() / 2 + kBlock, num_nodes_);
  if (NumberTable::BytesFor(hope, NumberTable::Fit::kRoomy) +
          (hope + ids_.capacity()) * sizeof(uint64_t) <=
      most_bytes) {
    GrowTable(hope, most_bytes);
    ids_.reserve(hope);
  }
  for (size_t start = 0; start < ids.size(); start += kBlock) {
    const size_t n = std::min(kBlock, ids.size() - start);
    if (ShouldStop(stop, n)) return false;
    const size_t before = ids_.size();
    // One id past the new ones is written, and not kept.
    if (!GrowIds(before + n + 1, most, most_bytes) ||
        !GrowTable(std::min<uint64_t>(before + n, num_nodes_), most_bytes)) {
      return false;
    }
    ids_.resize(before + n + 1);
    ids_.resize(before + table_.Number(ids.subspan(start), n, before,
                                       ids_.data(), local + start));
  }
  return true;
}

// By a quarter: twice would be more than a batch without rows has for it. The
// table is made anew when both do not fit.
bool LocalNumbering::GrowIds(size_t size, size_t most_size, size_t most_bytes) {
  if (size <= ids_.capacity()) return true;
  const size_t wanted =
      std::max(size, std::min(most_size, ids_.size() + ids_.size() / 4));
  const size_t peak = (ids_.capacity() + wanted) * sizeof(uint64_t);
  if (peak > most_bytes) return false;
  if (peak + table_.bytes() > most_bytes) DropTable();
  ids_.reserve(wanted);
  return true;
}

bool LocalNumbering::GrowTable(uint64_t size, size_t most_bytes) {
  if (table_.HasRoomFor(size)) return true;
  const size_t held = ids_.capacity() * sizeof(uint64_t);
  const size_t left = most_bytes - std::min(most_bytes, held);
  // Ids of more than 32 bits fit only in the table that does not hold them.
  const bool narrow = num_nodes_ <= std::numeric_limits<uint32_t>::max();
  auto fit = NumberTable::Fit::kRoomy;
  if (!narrow || NumberTable::BytesFor(size, fit) > left) {
    fit = NumberTable::Fit::kTight;
    if (NumberTable::BytesFor(size, fit) > left) return false;
  }
  table_.Rebuild(size, fit, ids_);
  return true;
}

size_t LocalNumbering::CountNew(absl::Span<uint64_t> ids,
                                StopCheck* stop) const {
  if (!StoppableSort(ids.data(), ids.data() + ids.size(), std::less<>(),
                     stop)) {
    return 0;
  }
  const auto end = std::unique(ids.begin(), ids.end());
  auto count = static_cast<size_t>(end - ids.begin());
  InPieces(stop, ids_.size(), [&](uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i) {
      count -= std::binary_search(ids.begin(), end, ids_[i]) ? 1 : 0;
    }
  });
  return count;
}

}  // namespace tributary
