#include "cli/k8s/map_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status ErrorAt(const std::string& file, const YAML::Mark& mark,
                     absl::string_view what) {
  const std::string line =
      mark.is_null() ? "" : absl::StrCat(":", mark.line + 1);
  return absl::InvalidArgumentError(absl::StrCat(file, line, ": ", what));
}

// Returns a value as messages show it.
std::string Shown(const YAML::Node& node) {
  if (node.IsScalar()) return absl::StrCat("\"", node.Scalar(), "\"");
  return node.IsMap() ? "a mapping" : node.IsSequence() ? "a list" : "empty";
}

bool IsPlain(const YAML::Node& node) {
  return node.IsScalar() && node.Tag() == "?";
}

// Parses the only document of `text`. yaml-cpp reports errors by exceptions,
// also where its stack would be exhausted by nesting.
absl::StatusOr<YAML::Node> ParseDocument(const std::string& text,
                                         const std::string& file) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() == 1) return documents.front();
    return ErrorAt(file, YAML::Mark::null_mark(),
                   absl::StrCat(documents.size(),
                                " documents; allowed: one mapping of values"));
  } catch (const YAML::Exception& error) {
    return ErrorAt(file, error.mark, absl::StrCat("is no YAML: ", error.msg));
  }
}

}  // namespace

absl::StatusOr<MapReader> MapReader::Parse(const std::string& text,
                                           const std::string& file,
                                           std::vector<std::string> keys) {
  ASSIGN_OR_RETURN(const YAML::Node node, ParseDocument(text, file));
  return Make(node, file, "", std::move(keys));
}

absl::StatusOr<MapReader> MapReader::Make(const YAML::Node& node,
                                          const std::string& file,
                                          const std::string& path,
                                          std::vector<std::string> keys) {
  if (!node.IsMap()) {
    return ErrorAt(
        file, node.Mark(),
        absl::StrCat(path.empty() ? "the file" : path, " is ", Shown(node),
                     "; allowed: a mapping with ", absl::StrJoin(keys, ", ")));
  }
  MapReader reader(node, file, path, std::move(keys));
  RETURN_IF_ERROR(reader.CheckKeys());
  return reader;
}

absl::Status MapReader::CheckKeys() const {
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const YAML::Node& name = entry.first;
    const std::string key = name.IsScalar() ? name.Scalar() : Shown(name);
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) {
      return ErrorAt(file_, name.Mark(),
                     absl::StrCat("unknown key ", NameOf(key),
                                  "; allowed: ", absl::StrJoin(keys_, ", ")));
    }
    if (!seen.insert(key).second) {
      return ErrorAt(file_, name.Mark(),
                     absl::StrCat(NameOf(key), " is there twice"));
    }
  }
  return absl::OkStatus();
}

// Compares keys itself: yaml-cpp's operator[] would compare decoded values.
YAML::Node MapReader::Find(const std::string& key) const {
  for (const auto& entry : node_) {
    if (entry.first.Scalar() == key) return entry.second;
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

std::string MapReader::NameOf(const std::string& key) const {
  return path_.empty() ? key : absl::StrCat(path_, ".", key);
}

bool MapReader::Has(const std::string& key) const {
  return Find(key).IsDefined();
}

absl::Status MapReader::Refuse(const std::string& key,
                               absl::string_view allowed) const {
  const YAML::Node node = Find(key);
  return ErrorAt(
      file_, node.Mark(),
      absl::StrCat(NameOf(key), " is ", Shown(node), "; allowed: ", allowed));
}

absl::Status MapReader::Missing(const std::string& key,
                                absl::string_view allowed) const {
  return ErrorAt(file_, node_.Mark(),
                 absl::StrCat(NameOf(key), " is missing; allowed: ", allowed));
}

absl::Status MapReader::Text(const std::string& key, std::string* out) const {
  const YAML::Node node = Find(key);
  if (!node.IsDefined()) return absl::OkStatus();
  if (!node.IsScalar() || node.Scalar().empty()) {
    return Refuse(key, "a text that is not empty");
  }
  *out = node.Scalar();
  return absl::OkStatus();
}

absl::Status MapReader::Whole(const std::string& key, uint32_t min,
                              uint32_t max, uint32_t* out) const {
  const YAML::Node node = Find(key);
  if (!node.IsDefined()) return absl::OkStatus();
  uint32_t value = 0;
  if (!IsPlain(node) || !absl::SimpleAtoi(node.Scalar(), &value) ||
      value < min || value > max) {
    return Refuse(key, absl::StrCat("a whole number from ", min, " to ", max));
  }
  *out = value;
  return absl::OkStatus();
}

absl::Status MapReader::Flag(const std::string& key, bool* out) const {
  const YAML::Node node = Find(key);
  if (!node.IsDefined()) return absl::OkStatus();
  if (!IsPlain(node) || (node.Scalar() != "true" && node.Scalar() != "false")) {
    return Refuse(key, "true or false");
  }
  *out = node.Scalar() == "true";
  return absl::OkStatus();
}

absl::StatusOr<MapReader> MapReader::Map(const std::string& key,
                                         std::vector<std::string> keys) const {
  return Make(Find(key), file_, NameOf(key), std::move(keys));
}

absl::StatusOr<std::vector<MapReader>> MapReader::List(
    const std::string& key, std::vector<std::string> keys) const {
  const YAML::Node node = Find(key);
  if (!node.IsSequence() || node.size() == 0) {
    return Refuse(key, "a list that is not empty");
  }
  std::vector<MapReader> items;
  for (const YAML::Node& item : node) {
    const std::string path = absl::StrCat(NameOf(key), "[", items.size(), "]");
    ASSIGN_OR_RETURN(MapReader reader, Make(item, file_, path, keys));
    items.push_back(std::move(reader));
  }
  return items;
}

}  // namespace tributary
