#include "partition/schema/type_path.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr absl::string_view kSlash = ",2f", kDot = ",2e", kUnderscore = ",5f";

void AppendEscaped(absl::string_view name, std::string* out) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '/') {
      absl::StrAppend(out, kSlash);
    } else if (name[i] == '.') {
      absl::StrAppend(out, kDot);
    } else if (name[i] == '_' && i + 1 == name.size()) {
      absl::StrAppend(out, kUnderscore);
    } else {
      out->push_back(name[i]);
    }
  }
}

// Returns how many bytes of `rest` the next part has: no character is cut.
size_t PartBytes(absl::string_view rest) {
  if (rest.size() <= kMaxTypePathPart) return rest.size();
  size_t bytes = kMaxTypePathPart - kTypePathGoesOn.size();
  while ((static_cast<unsigned char>(rest[bytes]) & 0xc0) == 0x80) --bytes;
  return bytes;
}

std::string CutIntoParts(absl::string_view text) {
  std::string path;
  for (;;) {
    const size_t bytes = PartBytes(text);
    absl::StrAppend(&path, text.substr(0, bytes));
    text.remove_prefix(bytes);
    if (text.empty()) return path;
    absl::StrAppend(&path, kTypePathGoesOn, "/");
  }
}

absl::Status NoPath(absl::string_view path) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", absl::CHexEscape(path), "\" is the path of no type's files"));
}

// Joins the names of an edge type by commas and undoes the escapes.
absl::StatusOr<std::string> Unescape(absl::string_view text) {
  std::string type;
  for (; !text.empty();) {
    if (absl::ConsumePrefix(&text, "__")) {
      type.push_back(',');
    } else if (absl::ConsumePrefix(&text, kSlash)) {
      type.push_back('/');
    } else if (absl::ConsumePrefix(&text, kDot)) {
      type.push_back('.');
    } else if (absl::ConsumePrefix(&text, kUnderscore)) {
      type.push_back('_');
    } else if (text[0] != ',') {
      type.push_back(text[0]);
      text.remove_prefix(1);
    } else {
      return NoPath(text);
    }
  }
  return type;
}

bool IsType(absl::string_view type) {
  const std::vector<absl::string_view> names = absl::StrSplit(type, ',');
  return (names.size() == 1 || names.size() == 3) &&
         std::all_of(names.begin(), names.end(), [](absl::string_view name) {
           return CheckTypeName(name).ok();
         });
}

}  // namespace

std::string TypePath(absl::string_view type) {
  std::string joined;
  absl::string_view separator;
  for (const absl::string_view name : absl::StrSplit(type, ',')) {
    absl::StrAppend(&joined, separator);
    AppendEscaped(name, &joined);
    separator = "__";
  }
  return CutIntoParts(joined);
}

absl::StatusOr<std::string> TypeOfPath(absl::string_view path) {
  std::string joined;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    absl::ConsumeSuffix(&part, kTypePathGoesOn);
    absl::StrAppend(&joined, part);
  }
  const absl::StatusOr<std::string> type = Unescape(joined);
  // One type may be written in several ways, of which one is its path.
  if (!type.ok() || !IsType(*type) || TypePath(*type) != path) {
    return NoPath(path);
  }
  return type;
}

}  // namespace tributary
