// Reads JSON strictly: no member is guessed, ignored or taken twice.
#ifndef TRIBUTARY_COMMON_JSON_JSON_OBJECT_H_
#define TRIBUTARY_COMMON_JSON_JSON_OBJECT_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/hash/sha256.h"
#include "nlohmann/json.hpp"

namespace tributary {

// Parses a text. `origin` names it in errors, which have `code`: "ORIGIN line
// N: ..." for what is no JSON, or that it nests more than 16 levels deep, which
// the parser's recursion does not bound, or has a key twice in one object.
absl::StatusOr<nlohmann::json> ParseJson(
    absl::string_view text, const std::string& origin,
    absl::StatusCode code = absl::StatusCode::kInvalidArgument);

// The errors of a text's objects.
struct JsonErrors {
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  // Of a member that is not asked for, and what the error ends with; empty: the
  // members that are.
  absl::StatusCode unknown_code = absl::StatusCode::kInvalidArgument;
  std::string unknown_remedy;
};

// One object of a parsed text, whose members are read by name. Keeps the first
// error of this object and of those in it, "ORIGIN: PATH: KEY is ..."; later
// reads return default values, so callers look at status() once, and call
// RefuseOthers() after the last read.
//
//   JsonObject in(json, "graph.json");
//   schema.name = in.Text("name");
//   schema.files = in.List("files", [](JsonObject& file) { ... });
//   in.RefuseOthers();
//   RETURN_IF_ERROR(in.status());
class JsonObject {
 public:
  // `json` must outlive it. `origin` may be empty.
  JsonObject(const nlohmann::json& json, std::string origin,
             JsonErrors errors = {});

  const absl::Status& status() const { return *status_; }
  bool is_object() const { return json_.is_object(); }
  // Returns "ORIGIN: PATH", or what there is of it.
  std::string where() const;

  // Return the member; null if there is none.
  const nlohmann::json* Find(absl::string_view key);
  bool Has(absl::string_view key) { return Find(key) != nullptr; }

  // The members below must be there.
  const nlohmann::json& Get(absl::string_view key);
  const nlohmann::json& Array(absl::string_view key);
  std::string Text(absl::string_view key);
  bool Bool(absl::string_view key);
  uint64_t Whole(absl::string_view key,
                 uint64_t max = std::numeric_limits<uint64_t>::max());
  double Real(absl::string_view key);
  // A number of things: so few that sums and products of them do not overflow.
  int64_t Count(absl::string_view key);
  std::vector<int64_t> Counts(absl::string_view key);
  // Returns the index of the text in `names`.
  size_t OneOf(absl::string_view key, const std::vector<std::string>& names);
  // 2 * `size` lower-case hexadecimal digits, as bytes.
  std::string HexBytes(absl::string_view key, size_t size);
  Sha256Digest Digest(absl::string_view key);
  JsonObject Object(absl::string_view key);
  // Reads each element, an object, by `read`, and refuses what it did not read.
  template <typename Read>
  auto List(absl::string_view key, Read read) {
    std::vector<decltype(read(std::declval<JsonObject&>()))> items;
    for (const nlohmann::json& json : Array(key)) {
      JsonObject item = Child(json, absl::StrCat(key, "[", items.size(), "]"));
      items.push_back(read(item));
      item.RefuseOthers();
    }
    return items;
  }

  // These need not be there.
  std::string TextOr(absl::string_view key, std::string otherwise);
  // Returns true if the member is there; then it must be true.
  bool Flag(absl::string_view key);
  // A string, or a list of strings, none of them empty, that is not empty; an
  // empty result if the member is not there.
  std::vector<std::string> Texts(absl::string_view key);

  // Returns a reader of `json`, a part of this object, called `name` in it.
  // Errors of both are kept together.
  JsonObject Child(const nlohmann::json& json, absl::string_view name) const;

  // Refuses members that have not been asked for.
  void RefuseOthers();

  // Keep an error, unless there is one: "ORIGIN: PATH: KEY WHAT" without a
  // colon between the last two, "ORIGIN: PATH: WHAT", and another's.
  void Fail(absl::string_view key, absl::string_view what);
  void FailWith(absl::string_view what);
  void Absorb(const absl::Status& status) { status_->Update(status); }

 private:
  uint64_t WholeOf(const nlohmann::json& json, absl::string_view key,
                   uint64_t max);

  const nlohmann::json& json_;
  const std::string origin_;
  std::string path_;
  const JsonErrors errors_;
  std::vector<std::string> known_;
  std::shared_ptr<absl::Status> status_;
};

// Returns the strings of a string or a list of strings; empty if it is neither,
// or holds anything else or an empty string.
std::vector<std::string> JsonTexts(const nlohmann::json& json);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_JSON_JSON_OBJECT_H_
