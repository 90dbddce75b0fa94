#include "cli/k8s/tree.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// yaml-cpp's tags of scalars that were written without and with quotes.
constexpr char kPlain[] = "?";
constexpr char kQuoted[] = "!";

// Returns whether a reader takes the unquoted text for something else: YAML 1.1
// and 1.2 differ, so it is generous.
bool LooksTyped(const std::string& text) {
  double number = 0;
  if (text.empty() || absl::SimpleAtod(text, &number)) return true;
  if (text.find_first_not_of("0123456789.:_-+eExXoO") == std::string::npos) {
    return true;
  }
  for (const char* word : {"true", "false", "yes", "no", "on", "off", "y", "n",
                           "null", "~", ".inf", ".nan"}) {
    if (absl::EqualsIgnoreCase(text, word)) return true;
  }
  return false;
}

YAML::Node Child(const YAML::Node& node, const std::string& key) {
  if (node.IsMap()) {
    for (const auto& entry : node) {
      if (entry.first.Scalar() == key) return entry.second;
    }
  }
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) {
      if (!item.IsMap()) continue;
      const YAML::Node name = Child(item, "name");
      if (name.IsDefined() && name.Scalar() == key) return item;
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

void WriteScalar(const YAML::Node& node, YAML::Emitter& out) {
  const std::string& text = node.Scalar();
  if (text.find('\n') != std::string::npos) {
    // A block of lines is read with the newline at its end.
    out << YAML::Literal << std::string(absl::StripSuffix(text, "\n"));
  } else if (node.Tag() == kQuoted) {
    out << YAML::DoubleQuoted << text;
  } else {
    out << text;
  }
}

// The depth is that of our own manifests.
void WriteNode(const YAML::Node& node, YAML::Emitter& out) {
  if (node.IsMap()) {
    out << YAML::BeginMap;
    for (const auto& entry : node) {
      out << YAML::Key;
      WriteScalar(entry.first, out);
      out << YAML::Value;
      WriteNode(entry.second, out);
    }
    out << YAML::EndMap;
  } else if (node.IsSequence()) {
    out << YAML::BeginSeq;
    for (const YAML::Node& item : node) WriteNode(item, out);
    out << YAML::EndSeq;
  } else if (node.IsScalar()) {
    WriteScalar(node, out);
  } else {
    out << YAML::Null;
  }
}

}  // namespace

absl::StatusOr<YAML::Node> ParseManifest(const char* text) {
  try {
    YAML::Node node = YAML::Load(text);
    if (node.IsMap()) return node;
    return absl::InternalError("an embedded manifest is no mapping");
  } catch (const YAML::Exception& error) {
    return absl::InternalError(
        absl::StrCat("an embedded manifest is no YAML: ", error.what()));
  }
}

absl::StatusOr<YAML::Node> At(const YAML::Node& root,
                              const std::vector<std::string>& path) {
  YAML::Node node = root;
  for (const std::string& key : path) {
    // Assignment would change the tree; reset() makes it refer elsewhere.
    node.reset(Child(node, key));
    if (node.IsDefined()) continue;
    return absl::InternalError(
        absl::StrCat("an embedded manifest has no ", absl::StrJoin(path, ".")));
  }
  return node;
}

void SetText(YAML::Node node, const std::string& text) {
  node = text;
  node.SetTag(LooksTyped(text) ? kQuoted : kPlain);
}

void SetNumber(YAML::Node node, uint64_t number) {
  node = absl::StrCat(number);
  node.SetTag(kPlain);
}

YAML::Node TextNode(const std::string& text) {
  YAML::Node node(text);
  SetText(node, text);
  return node;
}

int SetEverywhere(YAML::Node root, const std::string& key,
                  const std::string& text) {
  int found = 0;
  if (root.IsMap()) {
    for (auto entry : root) {
      if (entry.first.Scalar() == key && entry.second.IsScalar()) {
        SetText(entry.second, text);
        ++found;
      } else {
        found += SetEverywhere(entry.second, key, text);
      }
    }
  } else if (root.IsSequence()) {
    for (auto item : root) found += SetEverywhere(item, key, text);
  }
  return found;
}

absl::Status SetFlag(YAML::Node args, const std::string& flag,
                     const std::string& value) {
  for (auto arg : args) {
    if (!absl::StartsWith(arg.Scalar(), flag + "=")) continue;
    SetText(arg, absl::StrCat(flag, "=", value));
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("an embedded manifest has no ", flag, "="));
}

std::string WriteDocuments(const std::vector<YAML::Node>& documents) {
  std::string text;
  for (const YAML::Node& document : documents) {
    YAML::Emitter out;
    WriteNode(document, out);
    absl::StrAppend(&text, "---\n", out.c_str(), "\n");
  }
  return text;
}

}  // namespace tributary
