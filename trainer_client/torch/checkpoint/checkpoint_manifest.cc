#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// The first and the last bytes of every version, around the digest.
constexpr absl::string_view kHead =
    "{\n  \"format\": \"tributary-checkpoint\",\n  \"format_version\": ";
constexpr absl::string_view kBeforeDigest = ",\n  \"sha256\": \"";
constexpr absl::string_view kAfterDigest = "\"\n}\n";
constexpr size_t kHexDigest = 64;
constexpr size_t kTailBytes =
    kBeforeDigest.size() + kHexDigest + kAfterDigest.size();
constexpr int kMaxDepth = 8;  // a manifest nests 3 deep

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged: ", what));
}

// --- writing
// ------------------------------------------------------------------- The 64
// bits of a double in hexadecimal: exact, for NaN and infinity too.
std::string BitsOf(double value) {
  uint64_t bits = 0;
  static_assert(sizeof(bits) == sizeof(value));
  std::memcpy(&bits, &value, sizeof(bits));
  return absl::StrFormat("%016x", bits);
}

OrderedJson ToJson(const Cursor& cursor) {
  OrderedJson json = {{"epoch", cursor.epoch},
                      {"consumed", cursor.consumed},
                      {"next_index", cursor.next_index},
                      {"order",
                       {{"inputs", ToHex(cursor.order.inputs)},
                        {"graph", ToHex(cursor.order.graph)},
                        {"random_seed", cursor.order.random_seed},
                        {"shuffle", cursor.order.shuffle},
                        {"drop_last", cursor.order.drop_last}}}};
  if (cursor.order.own_world > 0) {
    json["order"]["own_rank"] = cursor.order.own_rank;
    json["order"]["own_world"] = cursor.order.own_world;
  }
  return json;
}

OrderedJson ToJson(const CheckpointManifest& manifest) {
  OrderedJson sums = OrderedJson::object();
  for (const auto& [name, sum] : manifest.epoch_sums) sums[name] = BitsOf(sum);
  OrderedJson files = OrderedJson::array();
  for (const CheckpointFile& file : manifest.files) {
    files.push_back({{"name", file.name},
                     {"bytes", file.bytes},
                     {"sha256", ToHex(file.sha256)}});
  }
  return {{"format", "tributary-checkpoint"},
          {"format_version", kCheckpointVersion},
          {"created_by", manifest.created_by},
          {"step", manifest.step},
          {"epoch", manifest.epoch},
          {"attempt", manifest.attempt},
          {"world_size", manifest.world_size},
          {"cursor", ToJson(manifest.cursor)},
          {"options", manifest.options},
          {"epoch_sums", std::move(sums)},
          {"files", std::move(files)}};
}

// --- reading
// ------------------------------------------------------------------- Reads the
// members of one JSON object. Keeps the first error in `status`, which nested
// readers share; later reads return default values.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string where, absl::Status& status)
      : json_(json), where_(std::move(where)), status_(status) {
    if (!json.is_object()) Fail("it is no object");
  }

  bool Has(const char* key) const {
    return json_.is_object() && json_.contains(key);
  }
  std::string Text(const char* key) {
    const Json& value = Get(key);
    if (value.is_string()) return value.get<std::string>();
    Fail(absl::StrCat(key, " is no string"));
    return "";
  }
  bool Bool(const char* key) {
    const Json& value = Get(key);
    if (value.is_boolean()) return value.get<bool>();
    Fail(absl::StrCat(key, " is neither true nor false"));
    return false;
  }
  uint64_t Count(const char* key,
                 uint64_t max = std::numeric_limits<uint64_t>::max()) {
    const Json& value = Get(key);
    if (value.is_number_unsigned() && value.get<uint64_t>() <= max) {
      return value.get<uint64_t>();
    }
    Fail(absl::StrCat(key, " is no whole number of 0 to ", max));
    return 0;
  }
  // Reads 2 * `size` lower-case hexadecimal digits as bytes.
  std::string HexBytes(const char* key, size_t size) {
    const std::string hex = Text(key);
    std::string bytes = absl::HexStringToBytes(hex);
    if (bytes.size() == size && absl::BytesToHexString(bytes) == hex) {
      return bytes;
    }
    Fail(absl::StrCat(key, " is not ", 2 * size,
                      " lower-case hexadecimal digits"));
    return std::string(size, '\0');
  }
  Sha256Digest Digest(const char* key) {
    Sha256Digest digest{};
    const std::string bytes = HexBytes(key, digest.size());
    std::copy(bytes.begin(), bytes.end(), digest.begin());
    return digest;
  }
  double Bits(const char* key) {
    uint64_t bits = 0;
    for (char byte : HexBytes(key, sizeof(bits))) {
      bits = bits << 8 | static_cast<uint8_t>(byte);
    }
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  ObjectReader Object(const char* key) {
    return {Get(key), Where(key), status_};
  }
  const Json& Get(const char* key) {
    static const Json kNull;
    known_.insert(key);
    if (!json_.is_object()) return kNull;
    if (json_.contains(key)) return json_[key];
    Fail(absl::StrCat("there is no key ", key));
    return kNull;
  }
  void RefuseOthers() {
    if (!json_.is_object()) return;
    for (const auto& item : json_.items()) {
      if (known_.count(item.key()) == 0) {
        Fail(absl::StrCat("key \"", absl::CHexEscape(item.key().substr(0, 40)),
                          "\" is unknown"));
      }
    }
  }
  std::string Where(absl::string_view key) const {
    return where_.empty() ? std::string(key) : absl::StrCat(where_, ".", key);
  }
  void Fail(absl::string_view what) {
    status_.Update(
        Damaged(absl::StrCat(where_, where_.empty() ? "" : ": ", what)));
  }

 private:
  const Json& json_;
  const std::string where_;
  std::set<std::string> known_;
  absl::Status& status_;
};

Cursor ReadCursor(ObjectReader in) {
  Cursor cursor{.epoch = in.Count("epoch"),
                .consumed = in.Count("consumed"),
                .next_index = in.Count("next_index")};
  ObjectReader order = in.Object("order");
  cursor.order = {.inputs = order.Digest("inputs"),
                  .graph = order.Digest("graph"),
                  .random_seed = order.Count("random_seed"),
                  .shuffle = order.Bool("shuffle"),
                  .drop_last = order.Bool("drop_last")};
  if (order.Has("own_world")) {
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    cursor.order.own_rank =
        static_cast<uint32_t>(order.Count("own_rank", kMost));
    cursor.order.own_world =
        static_cast<uint32_t>(order.Count("own_world", kMost));
  }
  order.RefuseOthers();
  in.RefuseOthers();
  return cursor;
}

std::map<std::string, double> ReadSums(ObjectReader& in) {
  std::map<std::string, double> sums;
  const Json& json = in.Get("epoch_sums");
  ObjectReader reader = in.Object("epoch_sums");
  if (!json.is_object()) return sums;
  for (const auto& item : json.items()) {
    sums[item.key()] = reader.Bits(item.key().c_str());
  }
  return sums;
}

std::vector<CheckpointFile> ReadFiles(ObjectReader& in, absl::Status& status) {
  std::vector<CheckpointFile> files;
  const Json& json = in.Get("files");
  if (!json.is_array()) in.Fail("files is no array");
  if (!json.is_array()) return files;
  std::set<std::string> names;
  for (const Json& item : json) {
    ObjectReader file(item, absl::StrCat("files[", files.size(), "]"), status);
    files.push_back({.name = file.Text("name"),
                     .bytes = file.Count("bytes"),
                     .sha256 = file.Digest("sha256")});
    file.RefuseOthers();
    const std::string& name = files.back().name;
    if (!IsCheckpointFileName(name) || !names.insert(name).second) {
      file.Fail("the name is not allowed, or there twice");
    }
  }
  return files;
}

absl::Status CheckVersion(ObjectReader& in, const absl::Status& status) {
  in.Text("format");  // kHead has it
  const uint64_t version = in.Count("format_version");
  if (!status.ok() || version == kCheckpointVersion) return status;
  return absl::UnimplementedError(
      absl::StrCat(version < kCheckpointVersion ? "older" : "newer",
                   ": its layout has version ", version,
                   "; this program reads version ", kCheckpointVersion));
}

// Returns the JSON in front of the digest, after checking the digest.
absl::StatusOr<absl::string_view> BodyOf(absl::string_view text) {
  if (!absl::StartsWith(text, kHead)) {
    return absl::InvalidArgumentError(
        "foreign: it does not begin as the manifest of a Tributary checkpoint");
  }
  if (text.size() < kHead.size() + kTailBytes) {
    return Damaged("it is cut off");
  }
  const absl::string_view body = text.substr(0, text.size() - kTailBytes);
  const std::string tail = absl::StrCat(
      kBeforeDigest, ToHex(Sha256Of(std::string(body))), kAfterDigest);
  if (text.substr(body.size()) == tail) return body;
  return Damaged("it does not end in its own SHA-256");
}

absl::StatusOr<Json> ParseBody(absl::string_view body) {
  const std::string text = absl::StrCat(body, "\n}");
  int deepest = 0;
  Json json = Json::parse(
      text,
      [&deepest](int depth, Json::parse_event_t, Json&) {
        deepest = std::max(deepest, depth);
        return depth < kMaxDepth;
      },
      /*allow_exceptions=*/false);
  if (json.is_discarded() || deepest >= kMaxDepth) {
    return Damaged("it is no JSON, or nests too deep");
  }
  return json;
}

}  // namespace

bool IsCheckpointFileName(const std::string& name) {
  constexpr size_t kMaxName = 100;
  const bool characters =
      std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
      });
  return characters && !name.empty() && name.size() <= kMaxName &&
         name[0] != '.' && name != kManifestName;
}

std::string FormatManifest(const CheckpointManifest& manifest) {
  std::string text = ToJson(manifest).dump(
      2, ' ', false, OrderedJson::error_handler_t::replace);
  text.resize(text.size() - 2);  // "\n}"
  return absl::StrCat(text, kBeforeDigest, ToHex(Sha256Of(text)), kAfterDigest);
}

absl::StatusOr<CheckpointManifest> ParseManifest(const std::string& text) {
  ASSIGN_OR_RETURN(const auto body, BodyOf(text));
  ASSIGN_OR_RETURN(const Json json, ParseBody(body));
  absl::Status status;
  ObjectReader in(json, "", status);
  RETURN_IF_ERROR(CheckVersion(in, status));
  CheckpointManifest manifest{.created_by = in.Text("created_by"),
                              .step = in.Count("step"),
                              .epoch = in.Count("epoch"),
                              .attempt = in.Count("attempt"),
                              .world_size = in.Count("world_size"),
                              .cursor = ReadCursor(in.Object("cursor")),
                              .options = in.Text("options"),
                              .epoch_sums = ReadSums(in),
                              .files = ReadFiles(in, status)};
  in.RefuseOthers();
  RETURN_IF_ERROR(status);
  return manifest;
}

}  // namespace tributary
