// Fuzzes the dictionaries of a graph's folder, ids/TYPE.*.npy: any files are
// refused or give an id or DATA_LOSS for each node; where ids ascend, as they
// must, each is found again. The first byte of an input selects the files: 'n'
// one of numbers, the rest as it is; 'o' offsets and bytes, whose length in
// bytes comes first; 'w' whole files, of offsets in one byte each and of the
// bytes behind them. The second byte is the number of nodes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/tensor/npy.h"
#include "partition/format/external_ids.h"
#include "partition/format/paths.h"
#include "partition/format/testing/graph_builder.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

class Dictionary {
 public:
  explicit Dictionary(int64_t num_nodes) {
    std::filesystem::create_directory(folder_.File("ids"));
    NodeTypeSchema type;
    type.name = "a";
    type.num_nodes = num_nodes;
    schema_.node_types.push_back(type);
  }

  void Write(const char* array, absl::string_view content) {
    const std::string path = ExternalIdsPath("a", array);
    std::ofstream(folder_.File(path), std::ios::binary) << content;
    schema_.files.push_back({path, 0, 0});
  }
  absl::StatusOr<std::optional<ExternalIds>> Open() const {
    return ExternalIds::Open(folder_.path(), schema_, "a");
  }

 private:
  const TemporaryFolder folder_;
  GraphSchema schema_;
};

// Writes offsets[i] = text[i] and the bytes after them.
void WriteWords(absl::string_view text, int64_t num_nodes, Dictionary& files) {
  const size_t count = std::min<size_t>(num_nodes + 1, text.size());
  std::string offsets =
      FormatNpyHeader(kNpyInt64, {static_cast<int64_t>(count)});
  for (const char c : text.substr(0, count)) {
    const int64_t offset = static_cast<signed char>(c);
    offsets.append(reinterpret_cast<const char*>(&offset), sizeof(offset));
  }
  text.remove_prefix(count);
  files.Write(kExternalOffsets, offsets);
  files.Write(kExternalBytes,
              absl::StrCat(FormatNpyHeader(kNpyUint8,
                                           {static_cast<int64_t>(text.size())}),
                           text));
}

void WriteBoth(absl::string_view text, Dictionary& files) {
  if (text.empty()) return;
  const size_t first =
      std::min<size_t>(static_cast<uint8_t>(text[0]), text.size() - 1);
  files.Write(kExternalOffsets, text.substr(1, first));
  files.Write(kExternalBytes, text.substr(1 + first));
}

// Returns the ids, none if one is damaged.
std::vector<std::string> ReadAll(const ExternalIds& ids) {
  std::vector<std::string> all;
  for (int64_t i = 0; i < ids.num_nodes(); ++i) {
    const auto id = ids.IdOf(i);
    Must(id.ok() || absl::IsDataLoss(id.status()), "an id or DATA_LOSS");
    if (!id.ok()) return {};
    all.push_back(*id);
  }
  return all;
}

void CheckIds(const ExternalIds& ids, const std::string& other) {
  Must(absl::IsOutOfRange(ids.IdOf(-1).status()), "no node before the first");
  Must(absl::IsOutOfRange(ids.IdOf(ids.num_nodes()).status()),
       "no node behind the last");
  const auto found = ids.Find(other);
  if (found.ok()) Must(ids.IdOf(*found).ok(), "what is found is a node");
  const std::vector<std::string> all = ReadAll(ids);
  const bool ascend =
      ids.is_numbers()
          ? std::adjacent_find(ids.numbers().begin(), ids.numbers().end(),
                               std::greater_equal<>()) == ids.numbers().end()
          : std::adjacent_find(all.begin(), all.end(),
                               std::greater_equal<>()) == all.end();
  if (!ascend) return;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto at = ids.Find(all[i]);
    Must(at.ok() && *at == static_cast<int64_t>(i), "an id is found again");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  constexpr int kMaxNodes = 16;
  const int64_t num_nodes = static_cast<uint8_t>(data[1] - '0') % kMaxNodes;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 2,
                               size - 2);
  Dictionary files(num_nodes);
  if (data[0] == 'n') {
    files.Write(kExternalNumbers, rest);
  } else if (data[0] == 'o') {
    WriteBoth(rest, files);
  } else {
    WriteWords(rest, num_nodes, files);
  }
  const auto ids = files.Open();
  if (ids.ok() && ids->has_value()) {
    Must((*ids)->num_nodes() == num_nodes, "an id for each node");
    CheckIds(**ids, std::string(rest.substr(0, 8)));
  }
  return 0;
}

}  // namespace tributary
