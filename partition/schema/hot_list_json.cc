#include "partition/schema/hot_list_json.h"

#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;  // a std::map, so keys are written sorted

constexpr char kFormatName[] = "tributary-hot-list";
constexpr char kListJson[] = "list.json";
constexpr int64_t kMostRows = std::numeric_limits<uint32_t>::max();

absl::Status ListError(const std::string& what) {
  return absl::DataLossError(absl::StrCat(kListJson, ": ", what));
}

HotListType ReadType(JsonObject& in) {
  return {.name = in.Text("name"),
          .rows = in.Count("rows"),
          .order_blocks = in.Digest("order_blocks"),
          .crc_blocks = in.Digest("crc_blocks")};
}

absl::Status CheckTypes(const std::vector<HotListType>& types) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0 && types[i - 1].name >= types[i].name) {
      return ListError("the names of node types do not ascend");
    }
    if (types[i].rows > 0 && types[i].rows < kMostRows) continue;
    return ListError(absl::StrCat(absl::CHexEscape(types[i].name), " has ",
                                  types[i].rows, " rows; allowed: 1 to ",
                                  kMostRows - 1));
  }
  return absl::OkStatus();
}

}  // namespace

std::string HotListJson::ToJson() const {
  Json types = Json::array();
  for (const HotListType& type : node_types) {
    types.push_back({{"name", type.name},
                     {"rows", type.rows},
                     {"order_blocks", ToHex(type.order_blocks)},
                     {"crc_blocks", ToHex(type.crc_blocks)}});
  }
  const Json json = {{"format", kFormatName},
                     {"format_version", kHotListFormatVersion},
                     {"content_digest", ToHex(content_digest)},
                     {"block_rows", kHotListBlockRows},
                     {"node_types", std::move(types)}};
  return json.dump();
}

absl::StatusOr<HotListJson> HotListJson::FromJson(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json,
                   ParseJson({text.data(), text.size()}, kListJson,
                             absl::StatusCode::kDataLoss));
  JsonObject in(json, kListJson,
                {.code = absl::StatusCode::kDataLoss,
                 .unknown_remedy = "a later program made the list"});
  const std::string format = in.Text("format");
  const uint64_t version = in.Whole("format_version");
  RETURN_IF_ERROR(in.status());
  if (format != kFormatName) {
    return ListError(absl::StrCat("its format is not ", kFormatName));
  }
  if (version != kHotListFormatVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat(kListJson, ": this program reads format_version ",
                     kHotListFormatVersion, " alone; make the list anew"));
  }
  HotListJson list;
  list.content_digest = in.Digest("content_digest");
  const uint64_t block_rows = in.Whole("block_rows");
  list.node_types = in.List("node_types", ReadType);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  if (block_rows != kHotListBlockRows) {
    return ListError(absl::StrCat("blocks of ", block_rows,
                                  " rows; allowed: ", kHotListBlockRows));
  }
  RETURN_IF_ERROR(CheckTypes(list.node_types));
  return list;
}

}  // namespace tributary
