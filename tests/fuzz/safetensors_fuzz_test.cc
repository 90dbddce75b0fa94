// Fuzzes safetensors files: any bytes are either tensors that cover the data
// once, each as long as its shape says, or refused. What was read can be laid
// out, written and read again. The first byte of an input tells whether the
// rest is a file, or the JSON of one whose length and data are made up to fit.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/must.h"
#include "trainer_client/torch/checkpoint/safetensors.h"

namespace tributary {
namespace {

void CheckTensors(const Safetensors& content, absl::Span<const uint8_t> file) {
  uint64_t bytes = 0;
  std::string last;
  for (const TensorView& tensor : content.tensors) {
    Must(&tensor == content.tensors.data() || last < tensor.name,
         "names ascend");
    last = tensor.name;
    Must(tensor.data.empty() || (tensor.data.begin() >= file.begin() &&
                                 tensor.data.end() <= file.end()),
         "data lie within the file");
    uint64_t expected = DTypeSize(tensor.dtype);
    for (int64_t dim : tensor.shape) {
      Must(dim >= 0, "dimensions are counts");
      expected *= static_cast<uint64_t>(dim);
    }
    Must(tensor.data.size() == expected, "data are as long as the shape says");
    Must(content.Find(tensor.name) == &tensor, "each is found by its name");
    bytes += tensor.data.size();
  }
  Must(bytes + 8 <= file.size(), "data overlap nowhere");
}

// Writes the tensors again, as WriteSafetensors does but into memory.
std::string Rewritten(const Safetensors& content) {
  const auto entries = LayOutSafetensors(content.tensors);
  Must(entries.ok(), "what was read can be laid out");
  const auto header = FormatSafetensorsHeader({*entries, content.metadata});
  Must(header.ok(), "and has a header");
  std::string file = *header;
  for (const SafetensorsEntry& entry : *entries) {
    const auto data = content.Find(entry.name)->data;
    file.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  return file;
}

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void CheckFile(absl::Span<const uint8_t> file) {
  const auto content = ParseSafetensors(file);
  if (!content.ok()) return;
  CheckTensors(*content, file);
  const std::string again = Rewritten(*content);
  const auto reread = ParseSafetensors(Bytes(again));
  Must(reread.ok() && reread->tensors.size() == content->tensors.size() &&
           reread->metadata == content->metadata,
       "what was written can be read");
  for (const TensorView& tensor : content->tensors) {
    const TensorView* same = reread->Find(tensor.name);
    Must(same != nullptr && same->dtype == tensor.dtype &&
             same->shape == tensor.shape && same->data == tensor.data,
         "and is the same then");
  }
  Must(Rewritten(*reread) == again, "equal tensors give equal files");
}

// Gives the JSON as much data as its tensors want, if that is little.
void CheckJson(std::string_view json) {
  for (uint64_t data_bytes : {0, 2, 8, 24}) {
    std::string file;
    for (int i = 0; i < 8; ++i) {
      file.push_back(static_cast<char>(uint64_t{json.size()} >> (8 * i)));
    }
    file.append(json).append(data_bytes, '\x01');
    CheckFile(Bytes(file));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == 'J') {
    CheckJson({reinterpret_cast<const char*>(data + 1), size - 1});
  } else {
    CheckFile({data + 1, size - 1});
  }
  return 0;
}

}  // namespace tributary
