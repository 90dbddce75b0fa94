// Files in the safetensors format, which Hugging Face's libraries read and
// write: 8 bytes of length, a JSON header, the tensors' bytes.
// https://huggingface.co/docs/safetensors
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "common/tensor/tensor_view.h"
#include "trainer_client/torch/checkpoint/safetensors_header.h"

namespace tributary {

// Writes `tensors` to `path`, laid out by LayOutSafetensors. The bytes go from
// where they are into the file. The file appears complete or not at all and
// replaces an existing one: it is written as `path`.tmp, flushed and renamed.
// Errors name the path, and the tensor where one is at fault.
absl::Status WriteSafetensors(const std::string& path,
                              absl::Span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata = {});

// The tensors of a file, in ascending order of name, as views into its bytes.
struct Safetensors {
  std::vector<TensorView> tensors;
  SafetensorsMetadata metadata;

  // Returns null if there is no tensor of that name.
  const TensorView* Find(std::string_view name) const;
};

// Checks all of a file's bytes but the tensors' values, and returns views into
// them. DATA_LOSS as ParseSafetensorsHeader.
absl::StatusOr<Safetensors> ParseSafetensors(absl::Span<const uint8_t> file);

// A file that is mapped into memory, and the views into it. Move-only; moving
// it does not move the bytes. Data are aligned to their elements in files that
// WriteSafetensors or Hugging Face's library wrote; the format demands it of
// nobody, so check before As().
class SafetensorsFile {
 public:
  // Errors name the path; otherwise as FileMapping::Open and ParseSafetensors.
  static absl::StatusOr<SafetensorsFile> Open(const std::string& path);

  const std::vector<TensorView>& tensors() const { return content_.tensors; }
  const SafetensorsMetadata& metadata() const { return content_.metadata; }
  const TensorView* Find(std::string_view name) const {
    return content_.Find(name);
  }

 private:
  SafetensorsFile(FileMapping mapping, Safetensors content)
      : mapping_(std::move(mapping)), content_(std::move(content)) {}

  FileMapping mapping_;
  Safetensors content_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_H_
