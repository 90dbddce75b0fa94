#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/core/session/cursor_json.h"

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

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged: ", what));
}

// --- writing ----------------------------------------------------------------

// The 64 bits of a double in hexadecimal: exact, for NaN and infinity too.
std::string BitsOf(double value) {
  uint64_t bits = 0;
  static_assert(sizeof(bits) == sizeof(value));
  std::memcpy(&bits, &value, sizeof(bits));
  return absl::StrFormat("%016x", bits);
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
          {"cursor", CursorToJson(manifest.cursor)},
          {"options", manifest.options},
          {"epoch_sums", std::move(sums)},
          {"files", std::move(files)}};
}

// --- reading ----------------------------------------------------------------

// The 64 bits of a double, as BitsOf writes them.
double ReadBits(JsonObject& in, const std::string& key) {
  uint64_t bits = 0;
  for (char byte : in.HexBytes(key, sizeof(bits))) {
    bits = bits << 8 | static_cast<uint8_t>(byte);
  }
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::map<std::string, double> ReadSums(JsonObject& in) {
  std::map<std::string, double> sums;
  JsonObject reader = in.Object("epoch_sums");
  if (!reader.is_object()) return sums;
  for (const auto& item : in.Get("epoch_sums").items()) {
    sums[item.key()] = ReadBits(reader, item.key());
  }
  return sums;
}

std::vector<CheckpointFile> ReadFiles(JsonObject& in) {
  std::set<std::string> names;
  const auto read = [&names](JsonObject& file) {
    CheckpointFile read{.name = file.Text("name"),
                        .bytes = file.Whole("bytes"),
                        .sha256 = file.Digest("sha256")};
    if (!IsCheckpointFileName(read.name) || !names.insert(read.name).second) {
      file.FailWith("the name is not allowed, or there twice");
    }
    return read;
  };
  return in.List("files", read);
}

absl::Status CheckVersion(JsonObject& in) {
  in.Text("format");  // kHead has it
  const uint64_t version = in.Whole("format_version");
  if (!in.status().ok() || version == kCheckpointVersion) return in.status();
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
  ASSIGN_OR_RETURN(const Json json,
                   ParseJson(absl::StrCat(body, "\n}"), "damaged",
                             absl::StatusCode::kDataLoss));
  JsonObject in(json, "damaged",
                {.code = absl::StatusCode::kDataLoss,
                 .unknown_code = absl::StatusCode::kDataLoss});
  RETURN_IF_ERROR(CheckVersion(in));
  CheckpointManifest manifest{.created_by = in.Text("created_by"),
                              .step = in.Whole("step"),
                              .epoch = in.Whole("epoch"),
                              .attempt = in.Whole("attempt"),
                              .world_size = in.Whole("world_size"),
                              .cursor = ReadCursor(in.Object("cursor")),
                              .options = in.Text("options"),
                              .epoch_sums = ReadSums(in),
                              .files = ReadFiles(in)};
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return manifest;
}

}  // namespace tributary
