// Reads objects of a JSON text that a user wrote, with exact errors.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_JSON_OBJECT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_JSON_OBJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace tributary {

// Parses `text`. INVALID_ARGUMENT "ORIGIN line N: ..." if it is no JSON, nests
// too deeply, or an object has a key twice.
absl::StatusOr<nlohmann::json> ParseUserJson(absl::string_view text,
                                             const std::string& origin);

// One object, whose members are read by name. Keeps the first error, "ORIGIN:
// KEY.KEY: what"; later reads return default values, so callers look at
// status() once. `json` must outlive it.
class JsonObject {
 public:
  // `where` names the object: "graph.json: nodes.paper".
  JsonObject(const nlohmann::json& json, std::string where);

  const absl::Status& status() const { return status_; }
  const std::string& where() const { return where_; }
  // Returns the member, null if there is none.
  const nlohmann::json* Find(const char* key);
  // Return the member's value, or the default if there is none.
  std::string Text(const char* key);
  bool Bool(const char* key, bool otherwise);
  int64_t Count(const char* key);
  // A string, or a list of strings that is not empty.
  std::vector<std::string> Texts(const char* key);
  // Refuses members that have not been asked for, listing those that have.
  void RefuseOthers();

  void Fail(absl::string_view key, absl::string_view what);
  void Absorb(const absl::Status& status) { status_.Update(status); }
  // Keeps an error that does not say where it is as that of this object.
  void Check(const absl::Status& status);

 private:
  const nlohmann::json& json_;
  const std::string where_;
  std::vector<std::string> known_;
  absl::Status status_;
};

// Returns the strings of a string or a list of strings; empty if it is neither,
// or holds anything else or an empty string.
std::vector<std::string> TextsOf(const nlohmann::json& json);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_JSON_OBJECT_H_
