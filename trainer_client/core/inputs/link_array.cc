#include "trainer_client/core/inputs/link_array.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/tensor/exact_values.h"
#include "common/tensor/user_npy.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kAllowed[] =
    "\nallowed: an array [links, 2] or [links, 3] of source, destination and "
    "label: whole numbers, or floats where labels are";

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts..., kAllowed));
}

absl::StatusOr<UserNpyHeader> ReadHeader(absl::Span<const uint8_t> file) {
  ASSIGN_OR_RETURN(UserNpyHeader header, ParseUserNpyHeader(file));
  const auto& shape = header.shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2 || shape[1] > 3) {
    return Refuse("shape (", absl::StrJoin(shape, ", "), ")");
  }
  if (header.data_bytes() != file.size() - header.data_offset) {
    return absl::DataLossError(absl::StrCat(
        file.size() - header.data_offset, " bytes of elements, but ",
        header.data_bytes(), " by its header"));
  }
  return header;
}

// The array's elements, all as T.
template <typename T>
class Elements {
 public:
  static absl::StatusOr<Elements> Convert(absl::Span<const uint8_t> file,
                                          const UserNpyHeader& header,
                                          ExactConversion convert) {
    Elements elements(header);
    const auto bad =
        convert(file.data() + header.data_offset, elements.values_.size(),
                reinterpret_cast<uint8_t*>(elements.values_.data()));
    if (bad.has_value()) {
      return Refuse("element ", *bad, " of type ", header.type.descr());
    }
    return elements;
  }

  size_t rows() const { return rows_; }
  bool labelled() const { return columns_ == 3; }
  T At(size_t row, size_t column) const {
    return values_[fortran_order_ ? column * rows_ + row
                                  : row * columns_ + column];
  }

 private:
  explicit Elements(const UserNpyHeader& header)
      : rows_(static_cast<size_t>(header.shape[0])),
        columns_(static_cast<size_t>(header.shape[1])),
        fortran_order_(header.fortran_order),
        values_(rows_ * columns_) {}

  size_t rows_, columns_;
  bool fortran_order_;
  std::vector<T> values_;
};

absl::Status TakeWhole(const Elements<int64_t>& elements, EdgeTypeLinks* list) {
  for (size_t row = 0; row < elements.rows(); ++row) {
    list->source.push_back(elements.At(row, 0));
    list->destination.push_back(elements.At(row, 1));
    if (elements.labelled()) list->edge_label.push_back(elements.At(row, 2));
  }
  return absl::OkStatus();
}

// Floats above this may stand for other whole numbers than the user's.
constexpr double kMaxWholeFloat = 9007199254740992;  // 2^53

bool IsId(double number) {
  return std::abs(number) <= kMaxWholeFloat && std::trunc(number) == number;
}

absl::Status TakeFloats(const Elements<double>& elements, EdgeTypeLinks* list) {
  for (size_t row = 0; row < elements.rows(); ++row) {
    const double source = elements.At(row, 0), to = elements.At(row, 1);
    if (!IsId(source) || !IsId(to)) {
      return Refuse("row ", row, " is (", source, ", ", to, ", ...)");
    }
    list->source.push_back(static_cast<int64_t>(source));
    list->destination.push_back(static_cast<int64_t>(to));
    const float label = static_cast<float>(elements.At(row, 2));
    if (!std::isfinite(label)) {
      return Refuse("row ", row, " has the label ", elements.At(row, 2));
    }
    list->edge_label_float.push_back(label);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Take(absl::Span<const uint8_t> file, const UserNpyHeader& header,
                  ExactConversion convert,
                  absl::Status (*take)(const Elements<T>&, EdgeTypeLinks*),
                  EdgeTypeLinks* links) {
  ASSIGN_OR_RETURN(const Elements<T> elements,
                   Elements<T>::Convert(file, header, convert));
  EdgeTypeLinks read;
  RETURN_IF_ERROR(take(elements, &read));
  links->source = std::move(read.source);
  links->destination = std::move(read.destination);
  links->edge_label = std::move(read.edge_label);
  links->edge_label_float = std::move(read.edge_label_float);
  return absl::OkStatus();
}

}  // namespace

bool IsNpyFile(absl::Span<const uint8_t> file) {
  return absl::StartsWith(
      absl::string_view(reinterpret_cast<const char*>(file.data()),
                        file.size()),
      "\x93NUMPY");
}

absl::Status ReadLinkArray(absl::Span<const uint8_t> file,
                           EdgeTypeLinks* links) {
  ASSIGN_OR_RETURN(const UserNpyHeader header, ReadHeader(file));
  const char kind = header.type.kind;
  if (kind == 'i' || kind == 'u') {
    return Take<int64_t>(file, header,
                         WholeConversion(header.type, DType::kInt64), TakeWhole,
                         links);
  }
  const ExactConversion convert =
      kind == 'f' ? AnyExactConversion(header.type, DType::kFloat64) : nullptr;
  if (convert == nullptr || header.shape[1] != 3) {
    return Refuse("elements of type ", header.type.descr());
  }
  return Take<double>(file, header, convert, TakeFloats, links);
}

}  // namespace tributary
