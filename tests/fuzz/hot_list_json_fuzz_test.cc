// Fuzzes the two texts of a hot list: any text is either a consistent list.json
// or files.json, or refused with what is wrong.
#include <cstdint>
#include <limits>
#include <string_view>

#include "partition/format/hot_manifest.h"
#include "partition/schema/hot_list_json.h"
#include "tests/fuzz/must.h"

namespace {

using tributary::HotListFiles;
using tributary::HotListJson;
using tributary::HotListType;
using tributary::Must;

// What was read can be written and read, and is the same then.
template <typename Text>
void MustSurvive(const Text& read) {
  const auto json = read.ToJson();
  const auto again = Text::FromJson(json);
  Must(again.ok(), "what was read can be written and read");
  Must(again->ToJson() == json, "and is the same then");
}

void TryList(std::string_view text) {
  const auto list = HotListJson::FromJson(text);
  if (!list.ok()) {
    Must(list.status().message().find("list.json") == 0,
         "what is wrong names the file");
    return;
  }
  for (size_t i = 0; i < list->node_types.size(); ++i) {
    const HotListType& type = list->node_types[i];
    Must(i == 0 || list->node_types[i - 1].name < type.name,
         "each type is there once");
    Must(type.rows > 0 && type.rows < std::numeric_limits<uint32_t>::max(),
         "ranks have 32 bits");
    Must(type.num_blocks() > 0, "and there are blocks of them");
  }
  MustSurvive(*list);
}

void TryFiles(std::string_view text) {
  const auto files = HotListFiles::FromJson(text);
  if (!files.ok()) {
    Must(files.status().message().find("files.json") == 0,
         "what is wrong names the file");
    return;
  }
  for (size_t i = 1; i < files->files.size(); ++i) {
    Must(files->files[i - 1].path < files->files[i].path,
         "each file is there once");
  }
  MustSurvive(*files);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TryList(text);
  TryFiles(text);
  return 0;
}
