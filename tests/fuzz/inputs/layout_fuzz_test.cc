// Fuzzes the config of a user's graph (--config) and the directory of .npz
// files. The first byte of an input selects which.
#include <cstdint>
#include <set>
#include <string>

#include "partition/pipeline/inputs/arrays/zip_members.h"
#include "partition/pipeline/inputs/layout/layout_json.h"
#include "partition/schema/schema_check.h"
#include "partition/source/npy_file.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/scratch_file.h"

namespace tributary {
namespace {

void CheckPlace(const ColumnPlace& place) {
  Must(place.columns.empty() || place.arrays.empty(), "columns or arrays");
}

void CheckLayout(absl::string_view text) {
  const auto layout = ParseGraphLayout(text, "config");
  if (!layout.ok()) {
    Must(layout.status().code() == absl::StatusCode::kInvalidArgument,
         "a bad config is the user's error");
    Must(layout.status().message().find("config") != absl::string_view::npos ||
             layout.status().message().find("name of a") !=
                 absl::string_view::npos ||
             layout.status().message().find("split") != absl::string_view::npos,
         "the message says where or which name");
    return;
  }
  Must(!layout->edges.empty(), "a graph has edges");
  for (const NodeLayout& nodes : layout->nodes) {
    Must(CheckTypeName(nodes.name).ok(), "names are allowed");
    for (const ColumnPlace* place :
         {&nodes.id, &nodes.features, &nodes.labels, &nodes.time}) {
      CheckPlace(*place);
      Must(place->columns.empty() || !nodes.table.empty(),
           "columns are of a table");
    }
  }
  for (const EdgeLayout& edges : layout->edges) {
    Must(layout->FindNodes(edges.src) >= 0, "the source type is there");
    Must(layout->FindNodes(edges.dst) >= 0, "the destination type is there");
    const int ways = (edges.from.empty() ? 0 : 1) +
                     (edges.index.empty() ? 0 : 1) +
                     (edges.indptr.empty() ? 0 : 1);
    Must(ways == 1 || (ways == 0 && !edges.table.empty()),
         "ends are given once, or the table has them");
    Must(edges.from.empty() == edges.to.empty(), "an edge has two ends");
    for (const auto& [name, place] : edges.masks) {
      Must(CheckMaskName(name).ok(), "names of masks are allowed");
      CheckPlace(place);
    }
  }
}

void CheckArchive(absl::Span<const uint8_t> bytes) {
  static const ScratchFile file;
  file.Write(bytes);
  const auto members = ListZipMembers(file.path());
  if (!members.ok()) return;
  std::set<std::string> names;
  for (const ZipMember& member : *members) {
    Must(names.insert(member.name).second, "names are unique");
    Must(member.offset <= bytes.size() &&
             member.bytes <= bytes.size() - member.offset,
         "members lie in the file");
  }
  // /proc/self/fd/N has no suffix, so the place is spelled out.
  for (const ZipMember& member : *members) {
    const auto header =
        ReadUserNpyHeaderAt(file.path(), member.offset, member.bytes);
    if (!header.ok()) continue;
    Must(header->data_offset + header->data_bytes() <=
             member.offset + member.bytes,
         "elements lie in the member");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::Span<const uint8_t> rest(data + 1, size - 1);
  if (data[0] == 'z') {
    CheckArchive(rest);
  } else {
    CheckLayout({reinterpret_cast<const char*>(rest.data()), rest.size()});
  }
  return 0;
}

}  // namespace tributary
