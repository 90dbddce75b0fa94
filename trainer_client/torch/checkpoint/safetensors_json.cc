#include "trainer_client/torch/checkpoint/safetensors_json.h"

#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;

struct NamedDType {
  DType dtype;
  absl::string_view name;
};
constexpr NamedDType kDTypes[] = {
    {DType::kBool, "BOOL"},   {DType::kUint8, "U8"},
    {DType::kInt8, "I8"},     {DType::kInt16, "I16"},
    {DType::kFloat16, "F16"}, {DType::kBFloat16, "BF16"},
    {DType::kInt32, "I32"},   {DType::kFloat32, "F32"},
    {DType::kFloat64, "F64"}, {DType::kInt64, "I64"},
};

std::optional<DType> DTypeOf(absl::string_view name) {
  for (const NamedDType& known : kDTypes) {
    if (known.name == name) return known.dtype;
  }
  return std::nullopt;
}

std::string Quoted(absl::string_view text) {
  constexpr size_t kShown = 100;
  return absl::StrCat("'", absl::Utf8SafeCHexEscape(text.substr(0, kShown)),
                      text.size() > kShown ? "..." : "", "'");
}

// Receives the parser's events and accepts only those of a header, so nothing
// else takes memory. Returning false ends the parser.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  SafetensorsHeader& header() { return header_; }
  const absl::Status& status() const { return status_; }

  bool null() override { return Misplaced("null"); }
  bool boolean(bool) override { return Misplaced("a boolean"); }
  bool number_integer(int64_t) override {
    return Misplaced("a negative number");
  }
  bool number_float(double, const std::string&) override {
    return Misplaced("a fraction");
  }
  bool binary(Json::binary_t&) override { return Misplaced("bytes"); }
  bool number_unsigned(uint64_t value) override;
  bool string(std::string& value) override;
  bool start_object(size_t) override;
  bool key(std::string& key) override;
  bool end_object() override;
  bool start_array(size_t) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Fail(absl::StrCat("it is no JSON from byte ", position,
                             " of the header on"));
  }

 private:
  // The object or array that the next event belongs to.
  enum class Place { kOutside, kTop, kMetadata, kTensor, kNumbers };

  bool Fail(absl::string_view what);
  bool Misplaced(absl::string_view value);
  bool KeyOfTensor(const std::string& key);

  Place place_ = Place::kOutside;
  std::string name_;  // the tensor, once place_ is beyond kTop
  std::string key_;   // the last key in the tensor or the metadata
  std::vector<uint64_t> numbers_;
  std::set<std::string> names_;  // keys of the top object
  std::set<std::string> keys_;   // keys of the tensor
  SafetensorsHeader header_;
  absl::Status status_;
};

bool HeaderReader::Fail(absl::string_view what) {
  status_ = place_ == Place::kOutside || place_ == Place::kTop
                ? absl::DataLossError(what)
                : SafetensorsDamage(name_, what);
  return false;
}

bool HeaderReader::Misplaced(absl::string_view value) {
  if (place_ == Place::kOutside) return Fail("it is no object");
  const std::string& key = place_ == Place::kTop ? name_ : key_;
  return Fail(absl::StrCat("the value of ", Quoted(key), " is or holds ", value,
                           ", which is not allowed there"));
}

bool HeaderReader::start_object(size_t) {
  if (place_ == Place::kOutside) {
    place_ = Place::kTop;
    return true;
  }
  if (place_ != Place::kTop) return Misplaced("an object");
  keys_.clear();
  if (name_ == kSafetensorsMetadata) {
    place_ = Place::kMetadata;
  } else {
    place_ = Place::kTensor;
    header_.entries.emplace_back();
    header_.entries.back().name = name_;
  }
  return true;
}

bool HeaderReader::key(std::string& key) {
  if (place_ == Place::kTop) {
    name_ = key;
    if (names_.insert(key).second) return true;
    return Fail(absl::StrCat(Quoted(key), " is there twice"));
  }
  key_ = key;
  if (place_ == Place::kTensor) return KeyOfTensor(key);
  if (header_.metadata.emplace(key, "").second) return true;
  return Fail(absl::StrCat("key ", Quoted(key), " is there twice"));
}

bool HeaderReader::KeyOfTensor(const std::string& key) {
  if (key != "dtype" && key != "shape" && key != "data_offsets") {
    return Fail(
        absl::StrCat("key ", Quoted(key),
                     " is unknown; allowed: dtype, shape, data_offsets"));
  }
  if (keys_.insert(key).second) return true;
  return Fail(absl::StrCat("key ", Quoted(key), " is there twice"));
}

bool HeaderReader::end_object() {
  if (place_ == Place::kTensor && keys_.size() != 3) {
    return Fail("dtype, shape or data_offsets is missing");
  }
  place_ = place_ == Place::kTop ? Place::kOutside : Place::kTop;
  return true;
}

bool HeaderReader::string(std::string& value) {
  if (place_ == Place::kMetadata) {
    header_.metadata[key_] = std::move(value);
    return true;
  }
  if (place_ != Place::kTensor || key_ != "dtype") return Misplaced("a string");
  const std::optional<DType> dtype = DTypeOf(value);
  if (!dtype) {
    std::string names;
    for (const NamedDType& known : kDTypes) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", known.name);
    }
    return Fail(absl::StrCat("dtype ", Quoted(value),
                             " is not supported; allowed: ", names));
  }
  header_.entries.back().dtype = *dtype;
  return true;
}

bool HeaderReader::start_array(size_t) {
  if (place_ != Place::kTensor || key_ == "dtype") return Misplaced("an array");
  place_ = Place::kNumbers;
  numbers_.clear();
  return true;
}

bool HeaderReader::number_unsigned(uint64_t value) {
  if (place_ != Place::kNumbers) return Misplaced("a number");
  numbers_.push_back(value);
  return true;
}

bool HeaderReader::end_array() {
  place_ = Place::kTensor;
  SafetensorsEntry& entry = header_.entries.back();
  if (key_ == "data_offsets") {
    if (numbers_.size() != 2) {
      return Fail(absl::StrCat("data_offsets has ", numbers_.size(),
                               " numbers; allowed: 2"));
    }
    entry.begin = numbers_[0];
    entry.end = numbers_[1];
    return true;
  }
  for (uint64_t dim : numbers_) {
    if (dim > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return Fail(absl::StrCat("shape holds ", dim, "; allowed: below 2^63"));
    }
    entry.shape.push_back(static_cast<int64_t>(dim));
  }
  return true;
}

}  // namespace

absl::string_view SafetensorsDType(DType dtype) {
  for (const NamedDType& known : kDTypes) {
    if (known.dtype == dtype) return known.name;
  }
  return "invalid";
}

absl::Status SafetensorsDamage(absl::string_view tensor,
                               absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("tensor ", Quoted(tensor), ": ", what));
}

absl::StatusOr<SafetensorsHeader> ReadSafetensorsJson(std::string_view json) {
  if (json.empty() || json[0] != '{') {
    return absl::DataLossError("the header does not begin with '{'");
  }
  // The parser takes a zero byte for the end of its input.
  if (json.find('\0') != json.npos) {
    return absl::DataLossError("the header holds a zero byte");
  }
  HeaderReader reader;
  const bool done = Json::sax_parse(json.begin(), json.end(), &reader);
  if (!reader.status().ok()) return reader.status();
  if (!done) return absl::DataLossError("the header is no JSON");
  return std::move(reader.header());
}

}  // namespace tributary
