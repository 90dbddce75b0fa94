// Changes manifests as trees, and writes them.
#ifndef TRIBUTARY_CLI_K8S_TREE_H_
#define TRIBUTARY_CLI_K8S_TREE_H_

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// A YAML::Node is a reference: what is changed through it is changed in the
// tree that it belongs to. Not thread-safe.

// Parses one of the embedded manifests; INTERNAL if it is no mapping.
absl::StatusOr<YAML::Node> ParseManifest(const char* text);

// Returns the node at `path`, keys of mappings and, by their `name`, items of
// lists: At(deployment, {"spec", "template", "spec", "containers", "sampler"}).
// INTERNAL, with the path, if there is none.
absl::StatusOr<YAML::Node> At(const YAML::Node& root,
                              const std::vector<std::string>& path);

// Makes `node` the text, which stays a text where it looks like a number.
void SetText(YAML::Node node, const std::string& text);
// Makes `node` a number.
void SetNumber(YAML::Node node, uint64_t number);
// Returns a new node of the text.
YAML::Node TextNode(const std::string& text);

// Sets each scalar at the key `key`, at any depth, to `text`; returns how many.
int SetEverywhere(YAML::Node root, const std::string& key,
                  const std::string& text);

// Sets FLAG=VALUE in a list of arguments, which has FLAG=; INTERNAL otherwise.
absl::Status SetFlag(YAML::Node args, const std::string& flag,
                     const std::string& value);

// Returns the documents as YAML, each begun by "---". The same trees give the
// same bytes.
std::string WriteDocuments(const std::vector<YAML::Node>& documents);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_TREE_H_
