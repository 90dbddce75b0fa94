#include "partition/pipeline/inputs/tables/id_dictionary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/tables/id_text.h"
#include "partition/pipeline/inputs/tables/sorted_ids.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

constexpr ColumnSchema kInt64{DType::kInt64, 0};
constexpr ColumnSchema kBytes{DType::kUint8, 0};
constexpr int64_t kBlock = 65536;

// A number as 8 bytes whose byte order is that of the numbers.
class NumberKey {
 public:
  explicit NumberKey(int64_t value) {
    auto bits = static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
    for (size_t i = 8; i-- > 0; bits >>= 8) {
      bytes_[i] = static_cast<char>(bits & 0xff);
    }
  }
  absl::string_view text() const { return {bytes_.data(), bytes_.size()}; }
  static int64_t Value(absl::string_view text) {
    uint64_t bits = 0;
    for (char c : text) bits = bits << 8 | static_cast<uint8_t>(c);
    return static_cast<int64_t>(bits ^ uint64_t{1} << 63);
  }

 private:
  std::array<char, 8> bytes_{};
};

int64_t BytesOf(const Column& column, int64_t rows) {
  return rows * static_cast<int64_t>(column.schema().row_bytes());
}

// Adds all ids; false if one is no number where numbers are wanted. Reports
// the bytes of the columns as the part `name`.
absl::StatusOr<bool> Collect(absl::Span<const ColumnPtr> columns, bool texts,
                             const Spool& spool, const std::string& name,
                             SortedIds& ids) {
  int64_t before = 0;
  for (const ColumnPtr& column : columns) {
    IdTextReader in(*column);
    absl::string_view text;
    for (int64_t id = 0; in.Next(&text); ++id) {
      if (id % kBlock == 0) {
        spool.Advance(name, before + BytesOf(*column, in.rows_read()));
      }
      if (texts) {
        RETURN_IF_ERROR(ids.Add(text));
        continue;
      }
      const auto value = ParseNumberId(text);
      if (!value.has_value()) return false;
      RETURN_IF_ERROR(ids.Add(NumberKey(*value).text()));
    }
    RETURN_IF_ERROR(in.status());
    before += BytesOf(*column, column->num_rows());
  }
  return true;
}

absl::StatusOr<ColumnPtr> WriteNumbers(SortedIds& ids, const Spool& spool,
                                       const std::string& name) {
  ASSIGN_OR_RETURN(SpoolWriter writer, spool.Create(name, kInt64));
  RETURN_IF_ERROR(ids.ForEach([&](absl::string_view key) {
    const int64_t value = NumberKey::Value(key);
    return writer.AppendValues(absl::Span<const int64_t>(&value, 1));
  }));
  return writer.Finish();
}

absl::Status WriteTexts(SortedIds& ids, const Spool& spool,
                        const std::string& name, IdDictionary& dictionary) {
  ASSIGN_OR_RETURN(SpoolWriter offsets,
                   spool.Create(name + "-offsets", kInt64));
  std::optional<SpoolWriter> bytes;  // unless an earlier run has left them
  if (dictionary.bytes == nullptr) {
    ASSIGN_OR_RETURN(SpoolWriter made, spool.Create(name + "-bytes", kBytes));
    bytes.emplace(std::move(made));
  }
  int64_t end = 0;
  const auto add_end = [&] {
    return offsets.AppendValues(absl::Span<const int64_t>(&end, 1));
  };
  RETURN_IF_ERROR(add_end());
  RETURN_IF_ERROR(ids.ForEach([&](absl::string_view text) {
    end += static_cast<int64_t>(text.size());
    if (bytes) {
      RETURN_IF_ERROR(bytes->AppendValues(
          absl::Span<const char>(text.data(), text.size())));
    }
    return add_end();
  }));
  if (bytes) {
    ASSIGN_OR_RETURN(dictionary.bytes, bytes->Finish());
  }
  ASSIGN_OR_RETURN(dictionary.offsets, offsets.Finish());
  return absl::OkStatus();
}

absl::StatusOr<bool> IsIdentity(const Column& numbers) {
  const int64_t count = numbers.num_rows();
  if (count == 0) return true;
  // They ascend, so the ends tell.
  ASSIGN_OR_RETURN(const auto first, ReadValues<int64_t>(numbers, 0, 1));
  ASSIGN_OR_RETURN(const auto last, ReadValues<int64_t>(numbers, count - 1, 1));
  return first[0] == 0 && last[0] == count - 1;
}

// Calls use(text) for `count` texts of a dictionary.
absl::Status ForEachText(const IdDictionary& dictionary, int64_t begin,
                         int64_t count,
                         absl::FunctionRef<void(absl::string_view)> use) {
  ASSIGN_OR_RETURN(const auto ends,
                   ReadValues<int64_t>(*dictionary.offsets, begin, count + 1));
  ASSIGN_OR_RETURN(
      const auto bytes,
      ReadValues<char>(*dictionary.bytes, ends[0], ends[count] - ends[0]));
  for (int64_t i = 0; i < count; ++i) {
    use({bytes.data() + (ends[i] - ends[0]),
         static_cast<size_t>(ends[i + 1] - ends[i])});
  }
  return absl::OkStatus();
}

// A range of a dictionary's ids, in memory.
class Slice {
 public:
  Slice(const IdDictionary& dictionary, size_t memory)
      : dictionary_(dictionary), memory_(memory) {}

  // Loads ids from `begin` on, at least one, as many as memory holds.
  absl::Status Load(int64_t begin) {
    texts_.Clear();
    begin_ = begin;
    while (begin < dictionary_.num_ids() &&
           (texts_.size() == 0 || texts_.memory() < memory_)) {
      const int64_t count = std::min(kBlock, dictionary_.num_ids() - begin);
      RETURN_IF_ERROR(dictionary_.is_numbers() ? LoadNumbers(begin, count)
                                               : LoadTexts(begin, count));
      begin += count;
    }
    return absl::OkStatus();
  }
  int64_t end() const { return begin_ + texts_.size(); }
  // Returns the share of all passes over a column that is done when `share` of
  // the pass with this range is.
  double ShareOfPasses(double share) const {
    if (dictionary_.num_ids() == 0) return share;
    return (static_cast<double>(begin_) + share * texts_.size()) /
           static_cast<double>(dictionary_.num_ids());
  }
  // Returns the number of an id, -1 if it is none of this range.
  int64_t Find(absl::string_view text) const {
    uint32_t found = TextSet::kNone;
    if (!dictionary_.is_numbers()) {
      found = texts_.Find(text);
    } else if (const auto value = ParseNumberId(text); value.has_value()) {
      found = texts_.Find(NumberKey(*value).text());
    }
    return found == TextSet::kNone ? -1 : begin_ + found;
  }

 private:
  absl::Status LoadNumbers(int64_t begin, int64_t count) {
    ASSIGN_OR_RETURN(const auto values,
                     ReadValues<int64_t>(*dictionary_.numbers, begin, count));
    for (int64_t value : values) texts_.Add(NumberKey(value).text());
    return absl::OkStatus();
  }
  absl::Status LoadTexts(int64_t begin, int64_t count) {
    return ForEachText(dictionary_, begin, count,
                       [&](absl::string_view text) { texts_.Add(text); });
  }

  const IdDictionary& dictionary_;
  const size_t memory_;
  int64_t begin_ = 0;
  TextSet texts_;
};

// Writes the numbers of the ids that `slice` or `before` knows; others are -1,
// or an error in the last pass. Reports the column as the part `part`.
absl::StatusOr<ColumnPtr> Pass(const Column& column, const Column* place,
                               const Slice& slice, const Column* before,
                               bool last, const Spool& spool,
                               const std::string& part,
                               const std::string& name) {
  ASSIGN_OR_RETURN(SpoolWriter writer, spool.Create(name, kInt64));
  IdTextReader in(column);
  const auto bytes = static_cast<double>(BytesOf(column, column.num_rows()));
  absl::string_view text;
  std::vector<int64_t> known;
  int64_t row = 0;
  for (; in.Next(&text); ++row) {
    if (row % kBlock == 0) {
      const double share = static_cast<double>(in.rows_read()) /
                           static_cast<double>(column.num_rows());
      spool.Advance(part,
                    static_cast<int64_t>(bytes * slice.ShareOfPasses(share)));
    }
    if (before != nullptr && row % kBlock == 0) {
      ASSIGN_OR_RETURN(
          known, ReadValues<int64_t>(
                     *before, row, std::min(kBlock, before->num_rows() - row)));
    }
    int64_t number = before == nullptr ? -1 : known[row % kBlock];
    if (number < 0) number = slice.Find(text);
    if (number < 0 && last) {
      return absl::InvalidArgumentError(absl::StrCat(
          place->Where(row), ": \"", absl::CHexEscape(text.substr(0, 80)),
          "\" is no id in the table of nodes; allowed: those in its column of "
          "ids"));
    }
    RETURN_IF_ERROR(writer.AppendValues(absl::Span<const int64_t>(&number, 1)));
  }
  RETURN_IF_ERROR(in.status());
  return writer.Finish();
}

}  // namespace

absl::StatusOr<IdDictionary> MakeIdDictionary(
    absl::Span<const ColumnPtr> columns, bool texts, size_t memory,
    const Spool& spool, const std::string& name) {
  IdDictionary dictionary;
  ASSIGN_OR_RETURN(dictionary.numbers, spool.Find(name + "-numbers"));
  ASSIGN_OR_RETURN(dictionary.offsets, spool.Find(name + "-offsets"));
  ASSIGN_OR_RETURN(dictionary.bytes, spool.Find(name + "-bytes"));
  // A run may have ended between the two files of texts.
  const bool has_texts =
      dictionary.offsets != nullptr && dictionary.bytes != nullptr;
  if (dictionary.numbers == nullptr && !has_texts) {
    std::optional<SortedIds> ids;
    ids.emplace(spool, name, memory);
    ASSIGN_OR_RETURN(const bool complete,
                     Collect(columns, texts, spool, name, *ids));
    if (!complete) {
      texts = true;
      ids.emplace(spool, name, memory);
      RETURN_IF_ERROR(Collect(columns, texts, spool, name, *ids).status());
    }
    if (texts) {
      RETURN_IF_ERROR(WriteTexts(*ids, spool, name, dictionary));
    } else {
      ASSIGN_OR_RETURN(dictionary.numbers,
                       WriteNumbers(*ids, spool, name + "-numbers"));
    }
  }
  spool.Advance(name, InputProgress::kAll);
  if (dictionary.is_numbers()) {
    ASSIGN_OR_RETURN(dictionary.identity, IsIdentity(*dictionary.numbers));
  }
  return dictionary;
}

absl::StatusOr<std::string> FindOddNumber(const IdDictionary& dictionary) {
  std::string found;
  const int64_t num_ids = dictionary.num_ids();
  for (int64_t at = 0; found.empty() && at < num_ids; at += kBlock) {
    const auto look = [&](absl::string_view text) {
      if (!found.empty() || ParseNumberId(text).has_value()) return;
      if (ParseWholeNumber(text).has_value()) found = std::string(text);
    };
    RETURN_IF_ERROR(
        ForEachText(dictionary, at, std::min(kBlock, num_ids - at), look));
  }
  return found;
}

absl::StatusOr<ColumnPtr> NumberIds(const Column& column,
                                    const IdDictionary& dictionary,
                                    const Column* place, size_t memory,
                                    const Spool& spool,
                                    const std::string& name) {
  ASSIGN_OR_RETURN(ColumnPtr numbers, spool.Find(name));
  if (numbers != nullptr) {
    spool.Advance(name, InputProgress::kAll);
    return numbers;
  }
  Slice slice(dictionary, memory);
  for (int pass = 0; numbers == nullptr || slice.end() < dictionary.num_ids();
       ++pass) {
    RETURN_IF_ERROR(slice.Load(slice.end()));
    const bool last = slice.end() == dictionary.num_ids();
    // Two names in turns; the last pass has the final one.
    const std::string to = last ? name : absl::StrCat(name, ".pass", pass % 2);
    ASSIGN_OR_RETURN(numbers, Pass(column, place, slice, numbers.get(), last,
                                   spool, name, to));
  }
  spool.Advance(name, InputProgress::kAll);
  return numbers;
}

}  // namespace tributary
