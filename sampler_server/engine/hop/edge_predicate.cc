#include "sampler_server/engine/hop/edge_predicate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/tensor/scaled_row.h"
#include "common/text/status.h"
#include "partition/schema/draw_traits.h"

namespace tributary {
namespace {

// Values of one column, `stride` bytes apart.
struct Column {
  const uint8_t* data;
  size_t stride;
};

struct NotEqual {
  // Not for a NaN, which meets nothing.
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b || a > b;
  }
};

// The value is read as T and compared as Wide.
template <typename T, typename Wide, typename Compare>
void NarrowBy(const Column& column, uint64_t degree, Wide constant,
              absl::Span<uint64_t> bits) {
  const Compare compare;
  const uint8_t* at = column.data;
  for (uint64_t p = 0; p < degree; p += 64) {
    const uint64_t n = std::min<uint64_t>(64, degree - p);
    uint64_t meets = 0;
    for (uint64_t j = 0; j < n; ++j, at += column.stride) {
      T value;
      std::memcpy(&value, at, sizeof(T));
      meets |= uint64_t{compare(static_cast<Wide>(value), constant)} << j;
    }
    bits[p / 64] &= meets;
  }
}

template <typename T>
void NarrowByValue(const Column& column, uint64_t degree,
                   const EdgeCondition& condition, absl::Span<uint64_t> bits) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
  Wide constant;
  if constexpr (std::is_floating_point_v<T>) {
    constant = condition.AsDouble();
  } else {
    constant = condition.whole;
  }
  switch (condition.comparison) {
    case Comparison::kLess:
      return NarrowBy<T, Wide, std::less<Wide>>(column, degree, constant, bits);
    case Comparison::kLessOrEqual:
      return NarrowBy<T, Wide, std::less_equal<Wide>>(column, degree, constant,
                                                      bits);
    case Comparison::kEqual:
      return NarrowBy<T, Wide, std::equal_to<Wide>>(column, degree, constant,
                                                    bits);
    case Comparison::kNotEqual:
      return NarrowBy<T, Wide, NotEqual>(column, degree, constant, bits);
    case Comparison::kGreaterOrEqual:
      return NarrowBy<T, Wide, std::greater_equal<Wide>>(column, degree,
                                                         constant, bits);
    case Comparison::kGreater:
      return NarrowBy<T, Wide, std::greater<Wide>>(column, degree, constant,
                                                   bits);
  }
}

void NarrowByColumn(DType dtype, const Column& column, uint64_t degree,
                    const EdgeCondition& condition, absl::Span<uint64_t> bits) {
  switch (dtype) {
    case DType::kFloat32:
      return NarrowByValue<float>(column, degree, condition, bits);
    case DType::kFloat64:
      return NarrowByValue<double>(column, degree, condition, bits);
    case DType::kInt8:
      return NarrowByValue<int8_t>(column, degree, condition, bits);
    case DType::kInt16:
      return NarrowByValue<int16_t>(column, degree, condition, bits);
    case DType::kInt32:
      return NarrowByValue<int32_t>(column, degree, condition, bits);
    case DType::kInt64:
      return NarrowByValue<int64_t>(column, degree, condition, bits);
    case DType::kUint8:
    case DType::kBool:
      return NarrowByValue<uint8_t>(column, degree, condition, bits);
    case DType::kFloat16:
    case DType::kBFloat16:
      break;  // CheckCondition refuses them
  }
}

// By number `condition.index` of each scaled row: its value times the scale.
void NarrowByScaledRows(const Column& rows, size_t width, uint64_t degree,
                        const EdgeCondition& condition,
                        absl::Span<uint64_t> bits) {
  std::array<float, 64> numbers;
  for (size_t p = 0; p < degree; p += numbers.size()) {
    const size_t n = std::min<size_t>(numbers.size(), degree - p);
    for (size_t j = 0; j < n; ++j) {
      const ScaledRow row =
          SplitScaledRow(rows.data + (p + j) * rows.stride, width);
      const auto value = static_cast<int8_t>(row.values[condition.index]);
      numbers[j] = static_cast<float>(value) * row.unit();
    }
    const auto* const bytes = reinterpret_cast<const uint8_t*>(numbers.data());
    NarrowByValue<float>({bytes, sizeof(float)}, n, condition,
                         bits.subspan(p / 64, 1));
  }
}

// Clears the bits of ranks [from, to) of a row. Takes copies, so that nothing
// is read again after each store.
bool ClearRanks(IdArray position, uint64_t begin, uint64_t degree,
                uint64_t from, uint64_t to, uint64_t* bits) {
  bool sound = true;
  for (uint64_t rank = from; rank < to; ++rank) {
    const uint64_t p = position[begin + rank];
    sound &= p < degree;
    if (p < degree) bits[p / 64] &= ~(uint64_t{1} << (p % 64));
  }
  return sound;
}

// Times ascend: those before `first` and from `end` on do not meet it, or, of
// kNotEqual, those between.
bool NarrowByTime(const TimeOrder& order, uint64_t begin, uint64_t degree,
                  const EdgeCondition& condition, absl::Span<uint64_t> bits,
                  StopCheck* stop) {
  const auto times = order.time.subspan(begin, degree);
  const auto below = static_cast<uint64_t>(
      std::lower_bound(times.begin(), times.end(), condition.whole) -
      times.begin());
  const auto not_above = static_cast<uint64_t>(
      std::upper_bound(times.begin(), times.end(), condition.whole) -
      times.begin());
  bool sound = true;
  const auto drop = [&](uint64_t from, uint64_t to) {
    if (from >= to) return;
    InPieces(stop, to - from, [&](uint64_t first, uint64_t end) {
      sound &= ClearRanks(order.position, begin, degree, from + first,
                          from + end, bits.data());
    });
  };
  switch (condition.comparison) {
    case Comparison::kLess:
      drop(below, degree);
      break;
    case Comparison::kLessOrEqual:
      drop(not_above, degree);
      break;
    case Comparison::kEqual:
      drop(0, below);
      drop(not_above, degree);
      break;
    case Comparison::kNotEqual:
      drop(below, not_above);
      break;
    case Comparison::kGreaterOrEqual:
      drop(0, below);
      break;
    case Comparison::kGreater:
      drop(0, not_above);
      break;
  }
  return sound;
}

// 1 where the source is the node itself.
template <typename T>
void NarrowBySelfLoop(absl::Span<const T> sources, uint64_t node,
                      const EdgeCondition& condition,
                      absl::Span<uint64_t> bits) {
  std::array<uint8_t, 64> is_loop;
  for (size_t p = 0; p < sources.size(); p += is_loop.size()) {
    const size_t n = std::min(is_loop.size(), sources.size() - p);
    for (size_t j = 0; j < n; ++j) is_loop[j] = sources[p + j] == node ? 1 : 0;
    NarrowByValue<uint8_t>({is_loop.data(), 1}, n, condition,
                           bits.subspan(p / 64, 1));
  }
}

// The lowest bits of up to 64 bytes: the product moves bit 8i to 56 + i.
uint64_t LowestBits(const uint8_t* bytes, uint64_t n) {
  uint64_t bits = 0, j = 0;
  for (; j + 8 <= n; j += 8) {
    uint64_t eight;
    std::memcpy(&eight, bytes + j, sizeof(eight));
    bits |= ((eight & 0x0101010101010101) * 0x0102040810204080 >> 56) << j;
  }
  for (; j < n; ++j) bits |= uint64_t{bytes[j] & 1u} << j;
  return bits;
}

void NarrowByMask(const uint8_t* mask, uint64_t degree,
                  const EdgeCondition& condition, absl::Span<uint64_t> bits) {
  constexpr uint8_t kValues[] = {0, 1};
  uint64_t meet = 3;  // a bit for each
  NarrowByValue<uint8_t>({kValues, 1}, 2, condition, {&meet, 1});
  const uint64_t of_false = -(meet & 1), of_true = -(meet >> 1 & 1);
  for (uint64_t p = 0; p < degree; p += 64) {
    const uint64_t is_true =
        LowestBits(mask + p, std::min<uint64_t>(64, degree - p));
    bits[p / 64] &= (is_true & of_true) | (~is_true & of_false);
  }
}

absl::Status CheckColumn(const char* what, size_t size, size_t wanted) {
  if (size == wanted) return absl::OkStatus();
  if (size == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the edge type has no ", what));
  }
  return absl::DataLossError(
      absl::StrCat(size, " bytes of ", what, " instead of ", wanted));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const EdgePredicate>> EdgePredicate::Make(
    const EdgeTypeSchema& type, std::vector<EdgeCondition> conditions) {
  if (conditions.empty()) return nullptr;
  const EdgeColumns stored = DrawTraitsOf(type).columns;
  for (const EdgeCondition& condition : conditions) {
    RETURN_IF_ERROR(CheckCondition(type.name(), stored, condition));
  }
  auto predicate = std::make_shared<EdgePredicate>();
  for (const EdgeCondition& condition : conditions) {
    const auto mask = absl::c_find(type.masks, condition.mask);
    predicate->mask_of.push_back(mask - type.masks.begin());
  }
  predicate->conditions = std::move(conditions);
  if (type.edge_attr.has_value()) predicate->attr = *type.edge_attr;
  predicate->weight = type.weight_dtype;
  return predicate;
}

absl::Status EdgePredicate::CheckColumns(const EdgePartition& edges) const {
  const size_t n = edges.indices.size();
  for (size_t i = 0; i < conditions.size(); ++i) {
    switch (conditions[i].column) {
      case EdgeColumn::kAttr:
        RETURN_IF_ERROR(CheckColumn("edge_attr", edges.edge_attr.size(),
                                    n * attr.row_bytes()));
        break;
      case EdgeColumn::kWeight:
        RETURN_IF_ERROR(
            CheckColumn("weights", edges.weight.size(), n * DTypeSize(weight)));
        break;
      case EdgeColumn::kTime:
        RETURN_IF_ERROR(
            CheckColumn("edge times", edges.edge_time.time.size() * 8, n * 8));
        RETURN_IF_ERROR(CheckColumn(
            "ranks in time", edges.edge_time.position.size() * 8, n * 8));
        break;
      case EdgeColumn::kMask:
        RETURN_IF_ERROR(CheckColumn("mask",
                                    mask_of[i] < edges.masks.size()
                                        ? edges.masks[mask_of[i]].size()
                                        : 0,
                                    n));
        break;
      case EdgeColumn::kSelfLoop:
        break;
    }
  }
  return absl::OkStatus();
}

bool EdgePredicate::Narrow(const EdgePartition& edges, uint64_t node,
                           uint64_t begin, uint64_t degree,
                           absl::Span<uint64_t> bits, StopCheck* stop) const {
  constexpr uint64_t kShortRow = 4096;
  bool sound = true;
  if (degree == 0) return sound;  // there may be no columns
  if (ShouldStop(stop, std::min(degree, kShortRow))) return sound;
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].column == EdgeColumn::kTime) {
      sound &= NarrowByTime(edges.edge_time, begin, degree, conditions[i], bits,
                            stop);
      continue;
    }
    if (degree <= kShortRow) {  // nearly all rows: nothing is cut
      NarrowPiece(i, edges, node, begin, degree, bits);
      continue;
    }
    InPieces(stop, degree, [&](uint64_t from, uint64_t to) {
      NarrowPiece(i, edges, node, begin + from, to - from,
                  bits.subspan(from / 64));
    });
  }
  return sound;
}

// Narrows `size` positions of a row from its edge `begin` on; `bits` begin with
// it.
void EdgePredicate::NarrowPiece(size_t i, const EdgePartition& edges,
                                uint64_t node, uint64_t begin, uint64_t size,
                                absl::Span<uint64_t> bits) const {
  const EdgeCondition& condition = conditions[i];
  switch (condition.column) {
    case EdgeColumn::kAttr: {
      const size_t row = attr.row_bytes();
      const uint8_t* const data = edges.edge_attr.data() + begin * row;
      if (attr.scaled) {
        return NarrowByScaledRows({data, row}, attr.width(), size, condition,
                                  bits);
      }
      return NarrowByColumn(
          attr.dtype, {data + condition.index * DTypeSize(attr.dtype), row},
          size, condition, bits);
    }
    case EdgeColumn::kWeight: {
      const size_t value = DTypeSize(weight);
      return NarrowByColumn(weight,
                            {edges.weight.data() + begin * value, value}, size,
                            condition, bits);
    }
    case EdgeColumn::kMask:
      return NarrowByMask(edges.masks[mask_of[i]].data() + begin, size,
                          condition, bits);
    case EdgeColumn::kSelfLoop:
      if (edges.indices.wide()) {
        NarrowBySelfLoop(edges.indices.wide_span().subspan(begin, size), node,
                         condition, bits);
      } else {
        NarrowBySelfLoop(edges.indices.narrow_span().subspan(begin, size), node,
                         condition, bits);
      }
      return;
    case EdgeColumn::kTime:
      return;  // by rank: Narrow
  }
}

}  // namespace tributary
