// The JSON text of a session.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/file_mapping.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostBytes = size_t{1} << 20;
// The member of an object by edge type for the types that are not named.
constexpr char kDefaultType[] = "default";

std::string FormOf(const SessionOption& option) {
  switch (option.form) {
    case OptionForm::kFlag:
      return "true or false";
    case OptionForm::kNumber:
      return "a number";
    case OptionForm::kText:
      return "a text, or a list";
    case OptionForm::kByType:
      break;
  }
  return "a text, a list, or an object with these for each edge type";
}

// Returns a text, a number, or true or false as the text of an option.
std::optional<std::string> ScalarText(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.dump();
  if (json.is_number_float()) return NumberText(json.get<double>());
  return std::nullopt;
}

// Returns a scalar, or the joined elements of a list; nullopt for what is none.
std::optional<std::string> ListText(const Json& json, char separator) {
  if (!json.is_array()) return ScalarText(json);
  std::vector<std::string> parts;
  for (const Json& element : json) {
    std::optional<std::string> part = ScalarText(element);
    if (!part || absl::StrContains(*part, absl::string_view(&separator, 1))) {
      return std::nullopt;
    }
    parts.push_back(*std::move(part));
  }
  if (parts.empty()) return std::nullopt;
  return absl::StrJoin(parts, absl::string_view(&separator, 1));
}

// Returns the text of an object by edge type: "TYPE:TEXT;...".
std::optional<std::string> TextByType(const SessionOption& option,
                                      const Json& json) {
  std::vector<std::string> parts;
  for (const auto& [type, value] : json.items()) {
    const std::optional<std::string> text = ListText(value, option.separator);
    if (!text || absl::StrContains(*text, ';')) return std::nullopt;
    if (type == kDefaultType) {
      parts.insert(parts.begin(), *text);
    } else {
      parts.push_back(
          absl::StrCat(type, absl::string_view(&option.type_end, 1), *text));
    }
  }
  if (parts.empty()) return std::nullopt;
  return absl::StrJoin(parts, ";");
}

std::optional<std::string> TextOfJson(const SessionOption& option,
                                      const Json& json) {
  if (option.form == OptionForm::kFlag && json.is_boolean()) {
    return json.get<bool>() ? "true" : "false";
  }
  switch (option.form) {
    case OptionForm::kFlag:
    case OptionForm::kNumber:
      return ScalarText(json);
    case OptionForm::kText:
      return ListText(json, option.separator);
    case OptionForm::kByType:
      break;
  }
  return json.is_object() ? TextByType(option, json)
                          : ListText(json, option.separator);
}

Json JsonOfText(const SessionOption& option, const std::string& text) {
  if (option.form != OptionForm::kText && option.form != OptionForm::kByType) {
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_discarded()) return json;
  }
  return text;
}

}  // namespace

absl::StatusOr<SessionText> ParseSessionJson(absl::string_view json) {
  ASSIGN_OR_RETURN(const Json object, ParseJson(json, "session"));
  JsonObject in(object, "");
  SessionText text;
  for (const SessionOption& option : SessionTable()) {
    const std::string& name = option.words.name;
    const Json* value = in.Find(name);
    if (value == nullptr || value->is_null()) continue;
    std::optional<std::string> its = TextOfJson(option, *value);
    if (!its) {
      in.Fail(name, absl::StrCat("is ", value->dump().substr(0, 100),
                                 "; allowed: ", FormOf(option)));
      break;
    }
    text.Set(name, *std::move(its));
  }
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return text;
}

std::string SessionJson(const SessionText& text) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const SessionOption& option : SessionTable()) {
    const auto found = text.given().find(option.words.name);
    if (found == text.given().end()) continue;
    object[option.words.name] = JsonOfText(option, found->second);
  }
  return object.dump(-1, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace);
}

absl::StatusOr<SessionText> ReadSessionFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMostBytes));
  auto text = ParseSessionJson(bytes);
  if (text.ok()) return text;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", text.status().message()));
}

}  // namespace tributary
