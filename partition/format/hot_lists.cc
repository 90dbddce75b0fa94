#include "partition/format/hot_lists.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/array_reader.h"
#include "partition/format/paths.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameBytes = 64;

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The memory that a list's views point to.
struct ListMemory {
  std::string json;
  std::vector<FileMapping> mappings;
};

// Reads one list.
class ListReader {
 public:
  // `files` and `schema` must outlive it.
  ListReader(std::string folder, const HotListFiles& files,
             const GraphSchema& schema, bool verify,
             const std::function<bool()>& cancelled)
      : folder_(std::move(folder)),
        listed_(files.files),
        schema_(schema),
        verify_(verify),
        arrays_(folder_, listed_, verify, cancelled, kHotListFilesJson) {}

  absl::StatusOr<std::shared_ptr<const HotList>> Read(std::string name) {
    auto memory = std::make_shared<ListMemory>();
    ASSIGN_OR_RETURN(memory->json,
                     ReadFile(PathOf(kHotListJson), kMaxHotListJsonBytes));
    RETURN_IF_ERROR(CheckJsonFile(memory->json));
    const auto json = HotListJson::FromJson(memory->json);
    if (!json.ok()) {
      return absl::Status(json.status().code(),
                          absl::StrCat(folder_, "/", json.status().message()));
    }
    RETURN_IF_ERROR(CheckGraph(*json));
    std::vector<HotList::Nodes> types(schema_.node_types.size());
    std::vector<HotList::File> files = {{kHotListJson, BytesOf(memory->json)}};
    for (const HotListType& type : json->node_types) {
      ASSIGN_OR_RETURN(types[schema_.FindNodeType(type.name)],
                       ReadType(type, &files));
    }
    RETURN_IF_ERROR(arrays_.damage()->status());
    memory->mappings = arrays_.TakeMappings();
    const Sha256Digest digest = Sha256Of(memory->json);
    return std::make_shared<const HotList>(std::move(name), digest,
                                           std::move(types), std::move(files),
                                           std::move(memory), arrays_.damage());
  }

 private:
  std::string PathOf(const std::string& file) const {
    return absl::StrCat(folder_, "/", file);
  }
  absl::Status Damaged(const std::string& file, const std::string& what) const {
    return absl::DataLossError(absl::StrCat(PathOf(file), ": ", what));
  }

  // list.json is small, so that its checksum is compared in any case.
  absl::Status CheckJsonFile(const std::string& json) const {
    for (const FileSchema& file : listed_) {
      if (file.path != kHotListJson) continue;
      if (file.bytes == json.size() && file.crc32c == Crc32c(BytesOf(json))) {
        return absl::OkStatus();
      }
      return Damaged(kHotListJson, absl::StrCat("its length or CRC32C is not "
                                                "what ",
                                                kHotListFilesJson, " says"));
    }
    return Damaged(kHotListFilesJson,
                   absl::StrCat("it does not list ", kHotListJson));
  }

  absl::Status CheckGraph(const HotListJson& json) const {
    if (json.content_digest != schema_.content_digest) {
      return absl::FailedPreconditionError(absl::StrCat(
          PathOf(kHotListJson), ": the list is of a graph with content ",
          ToHex(json.content_digest), "; this one has ",
          ToHex(schema_.content_digest),
          "\nallowed: to make it anew (tributary cache), or to remove ",
          folder_));
    }
    for (const HotListType& type : json.node_types) {
      const int found = schema_.FindNodeType(type.name);
      if (found >= 0 && IsListed(schema_.node_types[found]) &&
          schema_.node_types[found].num_nodes == type.rows) {
        continue;
      }
      return Damaged(kHotListJson,
                     absl::StrCat("the graph has no node type ",
                                  absl::CHexEscape(type.name), " with ",
                                  type.rows, " rows of features or labels"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<HotList::Nodes> ReadType(const HotListType& type,
                                          std::vector<HotList::File>* files) {
    const auto read = [&](const char* array, NpyType npy,
                          const std::vector<int64_t>& shape) {
      return arrays_.Read(HotListArrayPath(type.name, array), {npy}, shape);
    };
    ASSIGN_OR_RETURN(const auto order, read("order", kNpyInt64, {type.rows}));
    ASSIGN_OR_RETURN(const auto crc, read("crc", kNpyUint32, {type.rows}));
    ASSIGN_OR_RETURN(const auto rank, read("rank", kNpyUint32, {type.rows}));
    const std::vector<int64_t> digests = {
        static_cast<int64_t>(type.num_blocks()), sizeof(Sha256Digest)};
    ASSIGN_OR_RETURN(const auto order_blocks,
                     read("order.blocks", kNpyUint8, digests));
    ASSIGN_OR_RETURN(const auto crc_blocks,
                     read("crc.blocks", kNpyUint8, digests));
    RETURN_IF_ERROR(CheckBlocks(type, "order", order, order_blocks.data,
                                type.order_blocks));
    RETURN_IF_ERROR(
        CheckBlocks(type, "crc", crc, crc_blocks.data, type.crc_blocks));
    files->push_back({"order/" + type.name, order.data});
    files->push_back({"crc/" + type.name, crc.data});
    files->push_back({"order.blocks/" + type.name, order_blocks.data});
    files->push_back({"crc.blocks/" + type.name, crc_blocks.data});
    return HotList::Nodes{order.As<int64_t>(), crc.As<uint32_t>(),
                          rank.As<uint32_t>()};
  }

  absl::Status CheckBlocks(const HotListType& type, const std::string& name,
                           const MappedArray& array,
                           absl::Span<const uint8_t> blocks,
                           const Sha256Digest& of_all) const {
    if (Sha256Of(blocks) != of_all) {
      return Damaged(
          HotListArrayPath(type.name, name + ".blocks"),
          absl::StrCat("its SHA-256 is not what ", kHotListJson, " says"));
    }
    const size_t block_bytes = kHotListBlockRows * array.type.size;
    for (size_t b = 0; verify_ && b < type.num_blocks(); ++b) {
      const Sha256Digest digest =
          Sha256Of(array.data.subspan(b * block_bytes, block_bytes));
      if (std::equal(digest.begin(), digest.end(),
                     blocks.begin() + b * digest.size())) {
        continue;
      }
      return Damaged(HotListArrayPath(type.name, name),
                     absl::StrCat("the SHA-256 of its block ", b,
                                  " is not what ", name, ".blocks says"));
    }
    return absl::OkStatus();
  }

  const std::string folder_;
  const std::vector<FileSchema>& listed_;
  const GraphSchema& schema_;
  const bool verify_;
  ArrayReader arrays_;
};

}  // namespace

absl::Status CheckHotListName(absl::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= kMaxNameBytes && name[0] != '.' &&
      std::all_of(name.begin(), name.end(), allowed) &&
      !absl::StrContains(name, ".tmp-")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a hot list called \"", absl::CHexEscape(name.substr(0, kMaxNameBytes)),
      "\"; allowed: 1 to ", kMaxNameBytes,
      " letters, digits, '_', '-' and, but at its beginning, '.'; no .tmp-"));
}

std::string HotListFolder(const std::string& folder, const std::string& name) {
  return absl::StrCat(folder, "/", kHotListsFolder, "/", name);
}

absl::StatusOr<std::vector<std::string>> HotListNames(
    const std::string& folder) {
  const std::string lists = absl::StrCat(folder, "/", kHotListsFolder);
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(lists, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!CheckHotListName(name).ok() || !at->is_directory(ignored)) continue;
    names.push_back(std::move(name));
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot list ", lists));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool IsListed(const NodeTypeSchema& type) {
  return (type.x.has_value() || type.y.has_value()) && type.num_nodes > 0 &&
         type.num_nodes < std::numeric_limits<uint32_t>::max();
}

bool HasListedTypes(const GraphSchema& schema) {
  return std::any_of(schema.node_types.begin(), schema.node_types.end(),
                     IsListed);
}

absl::StatusOr<HotListFiles> ReadHotListFiles(const std::string& folder,
                                              const std::string& name,
                                              const GraphSchema& schema) {
  const std::string list = HotListFolder(folder, name);
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(absl::StrCat(list, "/", kHotListFilesJson),
                            kMaxHotListFilesBytes));
  auto files = HotListFiles::FromJson(text);
  if (!files.ok()) {
    return absl::Status(files.status().code(),
                        absl::StrCat(list, "/", files.status().message()));
  }
  if (files->layout_digest == schema.layout_digest) return files;
  return absl::FailedPreconditionError(absl::StrCat(
      list, "/", kHotListFilesJson, ": the list belongs to the layout ",
      ToHex(files->layout_digest), "; the graph's is ",
      ToHex(schema.layout_digest),
      "\nallowed: to make it anew (tributary cache), or to remove ", list));
}

absl::StatusOr<std::shared_ptr<const HotList>> OpenHotList(
    const std::string& folder, const std::string& name,
    const GraphSchema& schema, bool verify,
    const std::function<bool()>& cancelled) {
  ASSIGN_OR_RETURN(const HotListFiles files,
                   ReadHotListFiles(folder, name, schema));
  return ListReader(HotListFolder(folder, name), files, schema, verify,
                    cancelled)
      .Read(name);
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

absl::StatusOr<std::string> HotListDigestsOf(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, HotListNames(folder));
  if (names.empty()) return kNoHotLists;
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string json,
                     ReadFile(absl::StrCat(HotListFolder(folder, name), "/",
                                           kHotListFilesJson),
                              kMaxHotListFilesBytes));
    texts.push_back(absl::StrCat(name, "=", ToHex(Sha256Of(json))));
  }
  return absl::StrJoin(texts, ",");
}

}  // namespace tributary
