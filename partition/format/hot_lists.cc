#include "partition/format/hot_lists.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/array_reader.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/paths.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

// What a list's views point to.
struct ListMemory {
  std::string json;
  std::vector<FileMapping> mappings;
};

// Reads one list.
class ListReader {
 public:
  ListReader(std::string folder, const HotManifest& manifest,
             const GraphSchema& schema, bool verify,
             const std::function<bool()>& cancelled)
      : folder_(std::move(folder)),
        schema_(schema),
        arrays_(folder_, manifest.files, verify, cancelled, kHotJson) {}

  absl::StatusOr<std::shared_ptr<const HotList>> Read(std::string name) {
    auto memory = std::make_shared<ListMemory>();
    ASSIGN_OR_RETURN(memory->json,
                     ReadFile(absl::StrCat(folder_, "/", kHotListJson),
                              kMaxHotListJsonBytes));
    const auto json = HotListJson::FromJson(memory->json);
    if (!json.ok()) {
      return absl::Status(json.status().code(),
                          absl::StrCat(folder_, "/", json.status().message()));
    }
    RETURN_IF_ERROR(CheckGraph(*json));
    std::vector<HotList::Nodes> types(schema_.node_types.size());
    std::vector<HotList::File> files = {
        {kHotListJson,
         {reinterpret_cast<const uint8_t*>(memory->json.data()),
          memory->json.size()}}};
    for (const HotListType& type : json->node_types) {
      ASSIGN_OR_RETURN(types[schema_.FindNodeType(type.name)],
                       ReadType(type, &files));
    }
    memory->mappings = arrays_.TakeMappings();
    RETURN_IF_ERROR(arrays_.damage()->status());
    const Sha256Digest digest = Sha256Of(memory->json);
    return std::make_shared<const HotList>(std::move(name), digest,
                                           std::move(types), std::move(files),
                                           std::move(memory), arrays_.damage());
  }

 private:
  absl::Status CheckGraph(const HotListJson& json) const {
    if (json.content_digest != schema_.content_digest) {
      return absl::FailedPreconditionError(absl::StrCat(
          folder_, "/", kHotListJson, ": the list is of a graph with content ",
          ToHex(json.content_digest), "; this one has ",
          ToHex(schema_.content_digest),
          "\nallowed: to make it anew (tributary cache), or to remove ",
          folder_));
    }
    for (const HotListType& type : json.node_types) {
      const int found = schema_.FindNodeType(type.name);
      if (found >= 0 && schema_.node_types[found].num_nodes == type.rows) {
        continue;
      }
      return absl::DataLossError(absl::StrCat(
          folder_, "/", kHotListJson, ": the graph has no node type ",
          type.name, " of ", type.rows, " nodes"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<HotList::Nodes> ReadType(const HotListType& type,
                                          std::vector<HotList::File>* files) {
    const auto read = [&](const char* array, NpyType npy,
                          std::vector<int64_t> shape) {
      return arrays_.Read(HotListArrayPath(type.name, array), {npy}, shape);
    };
    const auto blocks = static_cast<int64_t>(type.num_blocks());
    constexpr auto kDigestBytes = static_cast<int64_t>(sizeof(Sha256Digest));
    ASSIGN_OR_RETURN(const auto order, read("order", kNpyInt64, {type.rows}));
    ASSIGN_OR_RETURN(const auto crc, read("crc", kNpyUint32, {type.rows}));
    ASSIGN_OR_RETURN(const auto rank, read("rank", kNpyUint32, {type.rows}));
    ASSIGN_OR_RETURN(const auto order_blocks,
                     read("order.blocks", kNpyUint8, {blocks, kDigestBytes}));
    ASSIGN_OR_RETURN(const auto crc_blocks,
                     read("crc.blocks", kNpyUint8, {blocks, kDigestBytes}));
    files->push_back({"order/" + type.name, order.data});
    files->push_back({"crc/" + type.name, crc.data});
    files->push_back({"order.blocks/" + type.name, order_blocks.data});
    files->push_back({"crc.blocks/" + type.name, crc_blocks.data});
    return HotList::Nodes{order.As<int64_t>(), crc.As<uint32_t>(),
                          rank.As<uint32_t>()};
  }

  const std::string folder_;
  const GraphSchema& schema_;
  ArrayReader arrays_;
};

}  // namespace

std::string HotListFolder(const std::string& folder, const std::string& name) {
  return absl::StrCat(folder, "/", kHotListsFolder, "/", name);
}

absl::StatusOr<std::vector<std::string>> HotListNames(
    const std::string& folder) {
  const std::string lists = absl::StrCat(folder, "/", kHotListsFolder);
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(lists, error), end;
       !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    // Of a list that is being written.
    if (!absl::StrContains(name, ".tmp-")) names.push_back(std::move(name));
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return absl::ErrnoToStatus(error.value(), lists);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::shared_ptr<const HotList>> OpenHotList(
    const std::string& folder, const std::string& name,
    const GraphSchema& schema, bool verify,
    const std::function<bool()>& cancelled) {
  const std::string list = HotListFolder(folder, name);
  ASSIGN_OR_RETURN(const HotManifest manifest,
                   ReadHotListManifest(list, schema));
  return ListReader(list, manifest, schema, verify, cancelled).Read(name);
}

absl::StatusOr<HotLists> OpenHotLists(const std::string& folder,
                                      const GraphSchema& schema, bool verify,
                                      const std::function<bool()>& cancelled) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, HotListNames(folder));
  HotLists lists;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(auto list,
                     OpenHotList(folder, name, schema, verify, cancelled));
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace tributary
