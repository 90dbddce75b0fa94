// Fuzzes HotManifest: any text is either a consistent hot.json or refused with
// what is wrong.
#include <cstdint>
#include <string_view>

#include "partition/format/hot_manifest.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tributary::HotManifest;
  using tributary::Must;
  const auto manifest = HotManifest::FromJson(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!manifest.ok()) {
    Must(manifest.status().message().find("hot.json") == 0,
         "what is wrong names the file");
    return 0;
  }
  for (size_t i = 0; i < manifest->rows.size(); ++i) {
    const tributary::HotRowsSchema& rows = manifest->rows[i];
    Must(rows.rows >= 0, "counts are not negative");
    Must(manifest->RowsOf(rows.partition, rows.node_type) == rows.rows,
         "each partition and type is there once");
  }
  const auto json = manifest->ToJson();
  const auto again = HotManifest::FromJson(json);
  Must(again.ok(), "what was read can be written and read");
  Must(again->ToJson() == json, "and is the same then");
  return 0;
}
