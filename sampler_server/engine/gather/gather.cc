#include "sampler_server/engine/gather/gather.h"

#include <algorithm>
#include <cstring>

#include "common/io/prefetch.h"
#include "partition/schema/feature_columns.h"

namespace tributary {
namespace {

constexpr size_t kLine = 64;
// Enough lines in flight to hide a miss; more would push each other out.
constexpr size_t kLinesAhead = 64;

// put(row, i) for every i < n, `row` being row from(i) of the table.
template <typename From, typename Put>
void ForEachRow(const uint8_t* base, size_t row_bytes, size_t n, From from,
                Put put) {
  const size_t ahead =
      std::clamp<size_t>(kLinesAhead / (row_bytes / kLine + 1), 4, 32);
  for (size_t i = 0; i < n; ++i) {
    if (i + ahead < n) {
      PrefetchBytes<kReadOnce>(base + from(i + ahead) * row_bytes, row_bytes);
    }
    put(base + from(i) * row_bytes, i);
  }
}

// kBytes != 0: a row's size that the compiler knows, for copies by register.
template <size_t kBytes, typename From, typename To>
void CopyRows(const RowTable& table, size_t n, From from, To to, uint8_t* out) {
  const size_t row_bytes = kBytes != 0 ? kBytes : table.row_bytes;
  ForEachRow(table.bytes.data(), row_bytes, n, from,
             [=](const uint8_t* row, size_t i) {
               std::memcpy(out + to(i) * row_bytes, row, row_bytes);
             });
}

template <typename From, typename To>
void Dispatch(const RowTable& table, size_t n, From from, To to, uint8_t* out) {
  if (table.row_bytes == 0) return;
  if (table.row_bytes == 8) return CopyRows<8>(table, n, from, to, out);
  CopyRows<0>(table, n, from, to, out);
}

}  // namespace

RowForm RowForm::Of(const ColumnSchema& stored, FeatureDType asked) {
  RowForm form = Copied(stored.row_bytes());
  const ColumnSchema made = InBatch(stored, asked);
  form.row_bytes = made.row_bytes();
  form.width = stored.width();
  form.convert = stored.scaled ? ConvertScaledRowOf(made.dtype)
                               : ConvertRowOf(stored.dtype, made.dtype);
  form.scaled = HasScale(stored, asked);
  return form;
}

void GatherRows(const RowTable& table, absl::Span<const uint64_t> rows,
                absl::Span<const uint32_t> to, uint8_t* out) {
  const auto from = [rows](size_t i) { return rows[i]; };
  if (to.empty()) {
    Dispatch(
        table, rows.size(), from, [](size_t i) { return i; }, out);
  } else {
    Dispatch(
        table, rows.size(), from, [to](size_t i) { return size_t{to[i]}; },
        out);
  }
}

void GatherRows(const RowTable& table, const RowForm& form,
                absl::Span<const uint64_t> rows, absl::Span<const uint32_t> to,
                uint8_t* out, uint8_t* scales) {
  if (form.convert == nullptr) return GatherRows(table, rows, to, out);
  ForEachRow(
      table.bytes.data(), table.row_bytes, rows.size(),
      [rows](size_t i) { return rows[i]; },
      [&](const uint8_t* row, size_t i) {
        const size_t at = to.empty() ? i : to[i];
        form.convert(row, form.width, out + at * form.row_bytes,
                     scales + at * form.scale_bytes());
      });
}

void ScatterRows(const RowTable& table, absl::Span<const uint32_t> to,
                 uint8_t* out) {
  Dispatch(
      table, to.size(), [](size_t i) { return i; },
      [to](size_t i) { return size_t{to[i]}; }, out);
}

}  // namespace tributary
