#include "common/json/json_object.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 16;
constexpr uint64_t kMaxCount = uint64_t{1} << 56;

std::string Shown(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, 40)), "\"");
}

// Returns whether it nests too deeply for a recursive parser.
bool NestsTooDeeply(absl::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if ((c == '{' || c == '[') && ++depth >= kMaxDepth) return true;
    if (c == '}' || c == ']') --depth;
  }
  return false;
}

// Notes keys that occur twice in an object, of which the parser keeps the last.
class KeyWatch {
 public:
  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && twice_.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) twice_ = Shown(key);
    }
    return true;
  }
  const std::string& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string twice_;
};

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text,
                               const std::string& origin,
                               absl::StatusCode code) {
  if (NestsTooDeeply(text)) {
    return absl::Status(code, absl::StrCat(origin, " nests deeper than ",
                                           kMaxDepth, " levels"));
  }
  KeyWatch watch;
  try {
    Json json = Json::parse(text.begin(), text.end(), std::ref(watch));
    if (watch.twice().empty()) return json;
    return absl::Status(code, absl::StrCat(origin, ": the key ", watch.twice(),
                                           " is twice in one object"));
  } catch (const Json::parse_error& error) {
    const size_t at = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
    return absl::Status(
        code, absl::StrCat(origin, " line ", line, ": this is no JSON here"));
  } catch (const Json::exception& error) {
    return absl::Status(code,
                        absl::StrCat(origin, " is no JSON: ", error.what()));
  }
}

std::vector<std::string> JsonTexts(const Json& json) {
  std::vector<std::string> texts;
  const Json list = json.is_array() ? json : Json::array({json});
  for (const Json& item : list) {
    if (!item.is_string() || item.get_ref<const std::string&>().empty()) {
      return {};
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

JsonObject::JsonObject(const Json& json, std::string origin, JsonErrors errors)
    : json_(json),
      origin_(std::move(origin)),
      errors_(std::move(errors)),
      status_(std::make_shared<absl::Status>()) {
  if (!json.is_object()) FailWith("it is no object");
}

JsonObject JsonObject::Child(const Json& json, absl::string_view name) const {
  JsonObject child(json, origin_, errors_);
  child.path_ =
      path_.empty() ? std::string(name) : absl::StrCat(path_, ".", name);
  child.status_ = status_;
  if (!json.is_object()) child.FailWith("it is no object");
  return child;
}

std::string JsonObject::where() const {
  return absl::StrCat(origin_, origin_.empty() || path_.empty() ? "" : ": ",
                      path_);
}

const Json* JsonObject::Find(absl::string_view key) {
  known_.emplace_back(key);
  if (!json_.is_object()) return nullptr;
  const auto at = json_.find(known_.back());
  return at == json_.end() ? nullptr : &*at;
}

const Json& JsonObject::Get(absl::string_view key) {
  static const Json kNull;
  const Json* found = Find(key);
  if (found != nullptr) return *found;
  FailWith(absl::StrCat("there is no key ", key));
  return kNull;
}

const Json& JsonObject::Array(absl::string_view key) {
  static const Json kEmpty = Json::array();
  const Json& value = Get(key);
  if (value.is_array()) return value;
  Fail(key, "is no array");
  return kEmpty;
}

std::string JsonObject::Text(absl::string_view key) {
  const Json& value = Get(key);
  if (value.is_string()) return value.get<std::string>();
  Fail(key, "is no string");
  return "";
}

bool JsonObject::Bool(absl::string_view key) {
  const Json& value = Get(key);
  if (value.is_boolean()) return value.get<bool>();
  Fail(key, "is neither true nor false");
  return false;
}

uint64_t JsonObject::WholeOf(const Json& json, absl::string_view key,
                             uint64_t max) {
  if (json.is_number_unsigned() && json.get<uint64_t>() <= max) {
    return json.get<uint64_t>();
  }
  Fail(key, absl::StrCat("is no whole number of 0 to ", max));
  return 0;
}

uint64_t JsonObject::Whole(absl::string_view key, uint64_t max) {
  return WholeOf(Get(key), key, max);
}

double JsonObject::Real(absl::string_view key) {
  const Json& value = Get(key);
  if (value.is_number()) return value.get<double>();
  Fail(key, "is no number");
  return 0;
}

int64_t JsonObject::Count(absl::string_view key) {
  return static_cast<int64_t>(Whole(key, kMaxCount));
}

std::vector<int64_t> JsonObject::Counts(absl::string_view key) {
  std::vector<int64_t> counts;
  for (const Json& value : Array(key)) {
    counts.push_back(static_cast<int64_t>(WholeOf(value, key, kMaxCount)));
  }
  return counts;
}

size_t JsonObject::OneOf(absl::string_view key,
                         const std::vector<std::string>& names) {
  const std::string text = Text(key);
  const auto at = absl::c_find(names, text);
  if (at != names.end()) return static_cast<size_t>(at - names.begin());
  Fail(key, absl::StrCat("is ", Shown(text),
                         "; allowed: ", absl::StrJoin(names, ", ")));
  return 0;
}

std::string JsonObject::HexBytes(absl::string_view key, size_t size) {
  const std::string hex = Text(key);
  std::string bytes = absl::HexStringToBytes(hex);
  if (bytes.size() == size && absl::BytesToHexString(bytes) == hex) {
    return bytes;
  }
  Fail(key,
       absl::StrCat("is not ", 2 * size, " lower-case hexadecimal digits"));
  return std::string(size, '\0');
}

Sha256Digest JsonObject::Digest(absl::string_view key) {
  Sha256Digest digest{};
  absl::c_copy(HexBytes(key, digest.size()), digest.begin());
  return digest;
}

JsonObject JsonObject::Object(absl::string_view key) {
  return Child(Get(key), key);
}

std::string JsonObject::TextOr(absl::string_view key, std::string otherwise) {
  return Has(key) ? Text(key) : otherwise;
}

bool JsonObject::Flag(absl::string_view key) {
  if (!Has(key)) return false;
  if (!Bool(key)) Fail(key, "is true where it is there");
  return true;
}

std::vector<std::string> JsonObject::Texts(absl::string_view key) {
  const Json* json = Find(key);
  if (json == nullptr) return {};
  std::vector<std::string> texts = JsonTexts(*json);
  if (texts.empty()) Fail(key, "is neither a string nor a list of strings");
  return texts;
}

void JsonObject::RefuseOthers() {
  if (!json_.is_object()) return;
  for (const auto& item : json_.items()) {
    if (absl::c_linear_search(known_, item.key())) continue;
    const std::set<std::string> known(known_.begin(), known_.end());
    return Absorb(
        absl::Status(errors_.unknown_code,
                     absl::StrCat(where(), where().empty() ? "" : ": ",
                                  "there is no key ", Shown(item.key()), "; ",
                                  errors_.unknown_remedy.empty()
                                      ? "allowed: " + absl::StrJoin(known, ", ")
                                      : errors_.unknown_remedy)));
  }
}

void JsonObject::Fail(absl::string_view key, absl::string_view what) {
  FailWith(absl::StrCat(key, " ", what));
}

void JsonObject::FailWith(absl::string_view what) {
  Absorb(absl::Status(
      errors_.code, absl::StrCat(where(), where().empty() ? "" : ": ", what)));
}

}  // namespace tributary
