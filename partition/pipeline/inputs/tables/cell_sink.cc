#include "partition/pipeline/inputs/tables/cell_sink.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/tables/id_text.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

absl::Status Refuse(absl::string_view cell, absl::string_view allowed) {
  const bool empty = cell.find_first_not_of(" \t") == absl::string_view::npos;
  return absl::InvalidArgumentError(absl::StrCat(
      empty ? "an empty cell"
            : absl::StrCat("\"", absl::CHexEscape(cell.substr(0, 40)), "\""),
      "; allowed: ", allowed));
}

// A column that is written value by value.
template <typename T>
class Values {
 public:
  explicit Values(SpoolWriter writer) : writer_(std::move(writer)) {}
  absl::Status Add(T value) {
    return writer_.AppendValues(absl::Span<const T>(&value, 1));
  }
  absl::StatusOr<ColumnPtr> Finish() { return writer_.Finish(); }

 private:
  SpoolWriter writer_;
};

// Values that a function parses; `allowed` is for messages.
template <typename T>
class ParsedSink final : public CellSink {
 public:
  using Parse = std::optional<T> (*)(absl::string_view);
  ParsedSink(SpoolWriter writer, Parse parse, const char* allowed)
      : values_(std::move(writer)), parse_(parse), allowed_(allowed) {}

  absl::Status Add(absl::string_view cell) override {
    const std::optional<T> value = parse_(cell);
    if (!value.has_value()) return Refuse(cell, allowed_);
    return values_.Add(*value);
  }
  absl::StatusOr<ColumnPtr> Finish() override { return values_.Finish(); }

 private:
  Values<T> values_;
  const Parse parse_;
  const char* const allowed_;
};

// Values of a narrow type as long as all fit it, and always of a wider one too,
// since the first that does not fit may come last.
template <typename Narrow, typename Wide>
class WideningSink final : public CellSink {
 public:
  using ParseNarrow = std::optional<Narrow> (*)(absl::string_view);
  using ParseWide = std::optional<Wide> (*)(absl::string_view);
  WideningSink(SpoolWriter narrow, SpoolWriter wide, ParseNarrow parse_narrow,
               ParseWide parse_wide, const char* allowed)
      : narrow_(std::move(narrow)),
        wide_(std::move(wide)),
        parse_narrow_(parse_narrow),
        parse_wide_(parse_wide),
        allowed_(allowed) {}

  absl::Status Add(absl::string_view cell) override {
    const auto value = parse_wide_(cell);
    if (!value.has_value()) return Refuse(cell, allowed_);
    if (fits_) {
      const auto narrow = parse_narrow_(cell);
      fits_ = narrow.has_value();
      if (fits_) RETURN_IF_ERROR(narrow_.Add(*narrow));
    }
    return wide_.Add(*value);
  }
  absl::StatusOr<ColumnPtr> Finish() override {
    return fits_ ? narrow_.Finish() : wide_.Finish();
  }

 private:
  Values<Narrow> narrow_;
  Values<Wide> wide_;
  const ParseNarrow parse_narrow_;
  const ParseWide parse_wide_;
  const char* const allowed_;
  bool fits_ = true;
};

class IdSink final : public CellSink {
 public:
  IdSink(SpoolWriter writer, CellKind kind)
      : writer_(std::move(writer)), kind_(kind) {}

  absl::Status Add(absl::string_view cell) override {
    RETURN_IF_ERROR(CheckCellText(kind_, cell));
    return AppendIdText(cell, writer_);
  }
  absl::StatusOr<ColumnPtr> Finish() override { return writer_.Finish(); }

 private:
  SpoolWriter writer_;
  const CellKind kind_;
};

// Accepts numbers as programs write them: "1.0" and "0.000e+00" too.
std::optional<uint8_t> ParseMask(absl::string_view cell) {
  const absl::string_view word = absl::StripAsciiWhitespace(cell);
  if (absl::EqualsIgnoreCase(word, "true")) return 1;
  if (absl::EqualsIgnoreCase(word, "false")) return 0;
  const auto number = ParseWholeNumber(cell);
  if (!number.has_value() || *number < 0 || *number > 1) return std::nullopt;
  return static_cast<uint8_t>(*number);
}

// Refuses "01" and "+1", which stand for "1" only perhaps.
std::optional<int64_t> ParseDenseId(absl::string_view cell) {
  const auto id = ParseNumberId(absl::StripAsciiWhitespace(cell));
  return id.has_value() && *id >= 0 ? id : std::nullopt;
}

std::optional<double> ParseWeight(absl::string_view cell) {
  const auto weight = ParseFloat64(cell);
  return weight.has_value() && IsWeight(*weight) ? weight : std::nullopt;
}

std::optional<float> ParseExactWeight(absl::string_view cell) {
  const auto weight = ParseWeight(cell);
  if (!weight.has_value() || *weight > std::numeric_limits<float>::max() ||
      static_cast<double>(static_cast<float>(*weight)) != *weight) {
    return std::nullopt;
  }
  return static_cast<float>(*weight);
}

// After the name of a request: its values in the wider type.
constexpr char kWide[] = "-wide";

constexpr char kFloatAllowed[] =
    "a decimal number in float32's range (nan and inf too)";
constexpr char kWeightAllowed[] =
    "a weight, a decimal number that is finite and not negative";
constexpr char kTimeAllowed[] =
    "a time, a whole number of int64; give fractions in a smaller unit (1.5 "
    "seconds as 1500 milliseconds), dates as numbers";
constexpr char kMaskAllowed[] = "a mask's value: 0 or 1, false or true";
constexpr char kDenseAllowed[] =
    "a dense id, a whole number from 0, without leading zeros (edge lists: "
    "others with --ids auto)";

template <typename T>
absl::StatusOr<std::unique_ptr<CellSink>> Parsed(
    const CellRequest& request, const Spool& spool, ColumnSchema schema,
    std::optional<T> (*parse)(absl::string_view), const char* allowed) {
  ASSIGN_OR_RETURN(SpoolWriter writer, spool.Create(request.name, schema));
  return std::make_unique<ParsedSink<T>>(std::move(writer), parse, allowed);
}

template <typename Narrow, typename Wide>
absl::StatusOr<std::unique_ptr<CellSink>> Widening(
    const CellRequest& request, const Spool& spool, DType narrow, DType wide,
    int64_t dim, std::optional<Narrow> (*parse_narrow)(absl::string_view),
    std::optional<Wide> (*parse_wide)(absl::string_view), const char* allowed) {
  ASSIGN_OR_RETURN(SpoolWriter first,
                   spool.Create(request.name, {narrow, dim}));
  // Only one of the two is finished.
  ASSIGN_OR_RETURN(SpoolWriter second,
                   spool.Create(request.name + kWide, {wide, dim}));
  return std::make_unique<WideningSink<Narrow, Wide>>(
      std::move(first), std::move(second), parse_narrow, parse_wide, allowed);
}

}  // namespace

absl::Status CheckCellText(CellKind kind, absl::string_view cell) {
  if (kind == CellKind::kSplit) {
    if (cell.size() <= kMaxIdBytes) return absl::OkStatus();
    return Refuse(cell, "the name of a split, or nothing");
  }
  RETURN_IF_ERROR(CheckIdText(cell));
  if (kind == CellKind::kNumberId && !ParseNumberId(cell).has_value()) {
    return Refuse(cell,
                  "a whole number of int64, without leading zeros; for other "
                  "ids --ids string");
  }
  return absl::OkStatus();
}

absl::StatusOr<ColumnPtr> FindCells(const CellRequest& request,
                                    const Spool& spool) {
  ASSIGN_OR_RETURN(ColumnPtr found, spool.Find(request.name));
  if (found != nullptr) return found;
  return spool.Find(request.name + kWide);
}

absl::StatusOr<std::unique_ptr<CellSink>> MakeCellSink(
    const CellRequest& request, const Spool& spool) {
  const auto columns = static_cast<int64_t>(request.columns.size());
  constexpr ColumnSchema kInt64{DType::kInt64, 0};
  switch (request.kind) {
    case CellKind::kFloats:
      return Parsed<float>(request, spool, {DType::kFloat32, columns},
                           ParseFloat32, kFloatAllowed);
    case CellKind::kLabels:
      return Widening<int64_t, float>(
          request, spool, DType::kInt64, DType::kFloat32,
          columns == 1 ? 0 : columns, ParseWholeNumber, ParseFloat32,
          kFloatAllowed);
    case CellKind::kWeight:
      return Widening<float, double>(request, spool, DType::kFloat32,
                                     DType::kFloat64, 0, ParseExactWeight,
                                     ParseWeight, kWeightAllowed);
    case CellKind::kTime:
      return Parsed<int64_t>(request, spool, kInt64, ParseWholeNumber,
                             kTimeAllowed);
    case CellKind::kMask:
      return Parsed<uint8_t>(request, spool, {DType::kBool, 0}, ParseMask,
                             kMaskAllowed);
    case CellKind::kDenseId:
      return Parsed<int64_t>(request, spool, kInt64, ParseDenseId,
                             kDenseAllowed);
    case CellKind::kNumberId:
    case CellKind::kTextId:
    case CellKind::kSplit:
      break;
  }
  ASSIGN_OR_RETURN(SpoolWriter writer,
                   spool.Create(request.name, {DType::kUint8, 0}));
  return std::make_unique<IdSink>(std::move(writer), request.kind);
}

}  // namespace tributary
