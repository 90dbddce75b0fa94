// Fuzzes checkpoint.json: any text, as it is and with the right digest at its
// end, is either a manifest whose files have allowed names or refused. What was
// read is the same when it is written and read again.
#include <cstdint>
#include <set>
#include <string>

#include "common/hash/sha256.h"
#include "tests/fuzz/must.h"
#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"

namespace tributary {
namespace {

void CheckManifest(const std::string& text) {
  const auto manifest = ParseManifest(text);
  if (!manifest.ok()) return;
  std::set<std::string> names;
  for (const CheckpointFile& file : manifest->files) {
    Must(IsCheckpointFileName(file.name), "names stay in the folder");
    Must(names.insert(file.name).second, "each file has one name");
  }
  const std::string again = FormatManifest(*manifest);
  const auto reread = ParseManifest(again);
  Must(reread.ok(), "what was read can be written and read");
  Must(reread->cursor == manifest->cursor && reread->files == manifest->files &&
           reread->step == manifest->step,
       "and is the same then");
  Must(FormatManifest(*reread) == again, "in text too");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckManifest(text);
  CheckManifest(text + ",\n  \"sha256\": \"" + ToHex(Sha256Of(text)) +
                "\"\n}\n");
  return 0;
}

}  // namespace tributary
