#include "common/tensor/npz.h"

#include <zip.h>

#include <deque>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// 1980-01-01 00:00, the earliest time in zip: files do not depend on the clock.
constexpr zip_uint16_t kDosTime = 0;
constexpr zip_uint16_t kDosDate = 0x21;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

absl::Status Failed(const std::string& path, zip_error_t* error) {
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", zip_error_strerror(error)));
}

absl::StatusOr<Archive> OpenArchive(const std::string& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const absl::Status status = Failed(path, &error);
  zip_error_fini(&error);
  return status;
}

zip_buffer_fragment_t Fragment(const void* data, size_t size) {
  // libzip takes a non-const buffer but only reads it.
  return {static_cast<zip_uint8_t*>(const_cast<void*>(data)), size};
}

// `header` and the tensor's data must stay valid until the archive is closed.
absl::Status AddTensor(zip_t* archive, const std::string& path,
                       const TensorView& tensor, const std::string& header) {
  const zip_buffer_fragment_t parts[] = {
      Fragment(header.data(), header.size()),
      Fragment(tensor.data.data(), tensor.data.size())};
  zip_source_t* source = zip_source_buffer_fragment(
      archive, parts, tensor.data.empty() ? 1 : 2, /*freep=*/0);
  if (source == nullptr) return Failed(path, zip_get_error(archive));
  const zip_int64_t index =
      zip_file_add(archive, absl::StrCat(tensor.name, ".npy").c_str(), source,
                   ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return Failed(path, zip_get_error(archive));
  }
  if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, index, kDosTime, kDosDate, 0) != 0) {
    return Failed(path, zip_get_error(archive));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteNpz(const std::string& path,
                      absl::Span<const TensorView> tensors) {
  std::deque<std::string> headers;  // a deque, so that they do not move
  ASSIGN_OR_RETURN(Archive archive, OpenArchive(path));
  for (const TensorView& tensor : tensors) {
    headers.push_back(FormatNpyHeader(NpyTypeOf(tensor.dtype), tensor.shape));
    RETURN_IF_ERROR(AddTensor(archive.get(), path, tensor, headers.back()));
  }
  // Writes a temporary file beside the target and renames it.
  if (zip_close(archive.get()) != 0) {
    return Failed(path, zip_get_error(archive.get()));
  }
  static_cast<void>(archive.release());
  return absl::OkStatus();
}

}  // namespace tributary
