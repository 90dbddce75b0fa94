#include "partition/pipeline/inputs/layout/json_object.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 16;  // nlohmann's parser is recursive; configs nest 5

std::string Shown(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, 40)), "\"");
}

// Looks at the parser's events for what its result does not show.
class Watcher {
 public:
  bool operator()(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second && twice_.empty()) {
        twice_ = Shown(key);
      }
    }
    return true;
  }
  absl::Status Check(const std::string& origin) const {
    if (twice_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(origin, ": the key ", twice_, " is twice in one object"));
  }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string twice_;
};

// Checks the depth before the recursive parser sees the text.
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

}  // namespace

absl::StatusOr<Json> ParseUserJson(absl::string_view text,
                                   const std::string& origin) {
  if (NestsTooDeeply(text)) {
    return absl::InvalidArgumentError(
        absl::StrCat(origin, " nests deeper than ", kMaxDepth, " levels"));
  }
  Watcher watcher;
  try {
    Json json =
        Json::parse(text.begin(), text.end(),
                    [&watcher](int, Json::parse_event_t event, Json& parsed) {
                      return watcher(event, parsed);
                    });
    absl::Status status = watcher.Check(origin);
    if (!status.ok()) return status;
    return json;
  } catch (const Json::parse_error& error) {
    const size_t at = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
    return absl::InvalidArgumentError(
        absl::StrCat(origin, " line ", line, ": this is no JSON here"));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(origin, " is no JSON: ", error.what()));
  }
}

std::vector<std::string> TextsOf(const Json& json) {
  std::vector<std::string> texts;
  if (json.is_string()) texts.push_back(json.get<std::string>());
  if (json.is_array()) {
    for (const Json& item : json) {
      if (!item.is_string()) return {};
      texts.push_back(item.get<std::string>());
    }
  }
  for (const std::string& text : texts) {
    if (text.empty()) return {};
  }
  return texts;
}

JsonObject::JsonObject(const Json& json, std::string where)
    : json_(json), where_(std::move(where)) {
  if (!json.is_object()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(where_, " is no object; allowed: {\"KEY\": ...}"));
  }
}

const Json* JsonObject::Find(const char* key) {
  known_.emplace_back(key);
  if (!json_.is_object()) return nullptr;
  const auto at = json_.find(key);
  return at == json_.end() ? nullptr : &*at;
}

std::string JsonObject::Text(const char* key) {
  const Json* json = Find(key);
  if (json == nullptr) return "";
  if (json->is_string()) return json->get<std::string>();
  Fail(key, "is no string");
  return "";
}

bool JsonObject::Bool(const char* key, bool otherwise) {
  const Json* json = Find(key);
  if (json == nullptr) return otherwise;
  if (json->is_boolean()) return json->get<bool>();
  Fail(key, "is neither true nor false");
  return otherwise;
}

int64_t JsonObject::Count(const char* key) {
  const Json* json = Find(key);
  if (json == nullptr) return 0;
  if (json->is_number_unsigned() &&
      json->get<uint64_t>() <= static_cast<uint64_t>(kMaxCount)) {
    return json->get<int64_t>();
  }
  Fail(key, absl::StrCat("is no whole number of 0 to ", kMaxCount));
  return 0;
}

std::vector<std::string> JsonObject::Texts(const char* key) {
  const Json* json = Find(key);
  if (json == nullptr) return {};
  std::vector<std::string> texts = TextsOf(*json);
  if (texts.empty()) Fail(key, "is neither a string nor a list of strings");
  return texts;
}

void JsonObject::RefuseOthers() {
  if (!json_.is_object()) return;
  for (const auto& item : json_.items()) {
    if (absl::c_linear_search(known_, item.key())) continue;
    absl::c_sort(known_);
    Absorb(absl::InvalidArgumentError(
        absl::StrCat(where_, ": there is no key ", Shown(item.key()),
                     "; allowed: ", absl::StrJoin(known_, ", "))));
  }
}

void JsonObject::Fail(absl::string_view key, absl::string_view what) {
  Absorb(
      absl::InvalidArgumentError(absl::StrCat(where_, ": ", key, " ", what)));
}

void JsonObject::Check(const absl::Status& status) {
  if (status.ok()) return;
  Absorb(absl::Status(status.code(),
                      absl::StrCat(where_, ": ", status.message())));
}

}  // namespace tributary
