// Reads a mapping of a YAML file key by key.
#ifndef TRIBUTARY_CLI_K8S_MAP_READER_H_
#define TRIBUTARY_CLI_K8S_MAP_READER_H_

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// A mapping whose keys are known. Each reading method leaves `out` as it is if
// the key is absent. Errors are INVALID_ARGUMENT and say the file, the line,
// the key, the value and what is allowed:
//
//   values.yaml:12: replicas.min is "x"; allowed: a whole number from 1 to 1000
class MapReader {
 public:
  // Parses a document, which is a mapping with no other keys than `keys`.
  static absl::StatusOr<MapReader> Parse(const std::string& text,
                                         const std::string& file,
                                         std::vector<std::string> keys);

  bool Has(const std::string& key) const;
  // Reads a text that is not empty.
  absl::Status Text(const std::string& key, std::string* out) const;
  absl::Status Whole(const std::string& key, uint32_t min, uint32_t max,
                     uint32_t* out) const;
  // Reads true or false.
  absl::Status Flag(const std::string& key, bool* out) const;
  // Returns the mapping at `key`, which exists.
  absl::StatusOr<MapReader> Map(const std::string& key,
                                std::vector<std::string> keys) const;
  // Returns the mappings in the list at `key`, which exists and is not empty.
  absl::StatusOr<std::vector<MapReader>> List(
      const std::string& key, std::vector<std::string> keys) const;

  // Returns the error that the value of `key`, which exists, is not `allowed`.
  absl::Status Refuse(const std::string& key, absl::string_view allowed) const;
  // Returns the error that `key` is absent.
  absl::Status Missing(const std::string& key, absl::string_view allowed) const;

 private:
  MapReader(YAML::Node node, std::string file, std::string path,
            std::vector<std::string> keys)
      : node_(node), file_(file), path_(path), keys_(keys) {}

  static absl::StatusOr<MapReader> Make(const YAML::Node& node,
                                        const std::string& file,
                                        const std::string& path,
                                        std::vector<std::string> keys);
  absl::Status CheckKeys() const;
  YAML::Node Find(const std::string& key) const;
  std::string NameOf(const std::string& key) const;

  YAML::Node node_;
  std::string file_;
  std::string path_;  // "replicas", empty for the document
  std::vector<std::string> keys_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_MAP_READER_H_
