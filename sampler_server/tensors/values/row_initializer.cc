#include "sampler_server/tensors/values/row_initializer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/random/purpose_key.h"
#include "common/text/status.h"
#include "sampler_server/tensors/values/normal_quantile.h"
#include "sampler_server/tensors/values/row_values.h"

namespace tributary {
namespace {

absl::Status CheckParameters(const InitialValueOptions& options, uint32_t dim,
                             DType dtype) {
  if (options.kind == InitialKind::kZeros ||
      options.kind == InitialKind::kOnes) {
    return absl::OkStatus();
  }
  if (!IsFloating(dtype)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "random initial values for dtype ", std::string(DTypeName(dtype)),
        "; integers and bool begin as zeros or ones"));
  }
  if (!std::isfinite(options.low) || !std::isfinite(options.high)) {
    return absl::InvalidArgumentError(
        absl::StrCat("initial values with the parameters ", options.low,
                     " and ", options.high, "; allowed: finite numbers"));
  }
  if (options.kind == InitialKind::kUniform &&
      !(options.low <= options.high &&
        std::isfinite(options.high - options.low))) {
    return absl::InvalidArgumentError(
        absl::StrCat("uniform initial values from ", options.low, " to ",
                     options.high, ": the lower end comes first"));
  }
  if (options.kind == InitialKind::kNormal && options.high < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("normal initial values with a standard deviation of ",
                     options.high, "; allowed: 0 or more"));
  }
  if (options.kind == InitialKind::kXavierUniform && dim == 0) {
    return absl::InvalidArgumentError(
        "xavier_uniform for one value per row; it needs rows and columns");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RowInitializer> RowInitializer::Create(
    const InitialValueOptions& options, const std::string& name,
    uint64_t num_rows, uint32_t dim, DType dtype) {
  RETURN_IF_ERROR(CheckParameters(options, dim, dtype));
  RowInitializer values;
  values.kind_ = options.kind;
  values.dtype_ = dtype;
  values.width_ = std::max<size_t>(dim, 1);
  values.key_ =
      MakePurposeKey(absl::StrCat("tensor,", name), options.random_seed);
  values.offset_ = options.low;
  if (options.kind == InitialKind::kUniform) {
    values.factor_ = options.high - options.low;
  } else if (options.kind == InitialKind::kNormal) {
    values.factor_ = options.high;
  } else if (options.kind == InitialKind::kXavierUniform) {
    values.offset_ = 0;
    values.factor_ =
        options.low * std::sqrt(6 / (static_cast<double>(num_rows) + dim));
  }
  return values;
}

double RowInitializer::ValueOf(uint64_t word) const {
  // From 2^52 on the half is lost to rounding, to even, so the largest u would
  // be 1 without the limit.
  constexpr double kUnit = 1.0 / (uint64_t{1} << 53);
  const double u =
      std::min((static_cast<double>(word >> 11) + 0.5) * kUnit, 1 - kUnit);
  switch (kind_) {
    case InitialKind::kNormal:
      return offset_ + factor_ * NormalQuantile(u);
    case InitialKind::kXavierUniform:
      return (2 * u - 1) * factor_;
    default:
      return offset_ + factor_ * u;
  }
}

uint64_t RowInitializer::work_per_value() const {
  switch (kind_) {
    case InitialKind::kZeros:
      return 1;
    case InitialKind::kOnes:
      return 5;
    case InitialKind::kNormal:
      return 60;
    default:
      return 15;
  }
}

void RowInitializer::Fill(uint64_t row, size_t begin, size_t end,
                          uint8_t* out) const {
  const size_t size = DTypeSize(dtype_);
  if (all_zeros()) {
    std::memset(out + begin * size, 0, (end - begin) * size);
    return;
  }
  if (kind_ == InitialKind::kOnes) {
    for (size_t c = begin; c < end; ++c) {
      StoreNumber(1, dtype_, out + c * size);
    }
    return;
  }
  PhiloxBlock block{};
  for (size_t c = begin; c < end; ++c) {
    if (c % 2 == 0 || c == begin) {
      block = Philox4x32(
          key_, {{static_cast<uint32_t>(c / 2), static_cast<uint32_t>(row),
                  static_cast<uint32_t>(row >> 32), 0}});
    }
    const uint64_t word =
        block.word[2 * (c % 2)] | uint64_t{block.word[2 * (c % 2) + 1]} << 32;
    StoreNumber(ValueOf(word), dtype_, out + c * size);
  }
}

}  // namespace tributary
