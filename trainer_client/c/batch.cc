#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/described_tensor.h"
#include "trainer_client/c/exported_tensor.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"

namespace tributary {
namespace {

// Writes a digest in hexadecimal, with its NUL.
void WriteHex(const Sha256Digest& digest, char* text) {
  const std::string hex = ToHex(digest);
  std::memcpy(text, hex.c_str(), hex.size() + 1);
}

const std::vector<TensorView>& TensorsOf(const tributary_batch& batch) {
  return batch.shared->lease.view().tensors();
}

absl::StatusOr<size_t> FindInBatch(const tributary_batch& batch,
                                   const char* name) {
  return FindTensor(TensorsOf(batch), name, [&] {
    return batch.shared->lease.view().key().ToString();
  });
}

void DescribeInBatch(const tributary_batch& batch, size_t number,
                     tributary_tensor* tensor) {
  *tensor =
      DescribeTensor(TensorsOf(batch)[number], batch.shared->strides[number]);
}

template <typename Managed>
tributary_status ExportByName(tributary_batch* batch, const char* name,
                              Managed** tensor) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckGiven(tensor, "tensor"));
    *tensor = nullptr;
    RETURN_IF_ERROR(CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(CheckGiven(name, "name"));
    ASSIGN_OR_RETURN(const size_t number, FindInBatch(*batch, name));
    *tensor = ExportTensor<Managed>(batch->shared, number);
    return absl::OkStatus();
  });
}

}  // namespace

SharedBatch::SharedBatch(BatchLease delivered) : lease(std::move(delivered)) {
  for (const TensorView& tensor : lease.view().tensors()) {
    strides.push_back(StridesOf(tensor.shape));
  }
}

}  // namespace tributary

extern "C" {

tributary_status tributary_batch_get_key(tributary_batch* batch,
                                         tributary_batch_key* key) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(tributary::CheckGiven(key, "key"));
    const tributary::BatchKey& of_view = batch->shared->lease.view().key();
    key->epoch = of_view.epoch;
    key->index = of_view.index;
    key->num_tensors = tributary::TensorsOf(*batch).size();
    tributary::WriteHex(of_view.session, key->session);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_digest(tributary_batch* batch,
                                        char digest[65]) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(tributary::CheckGiven(digest, "digest"));
    tributary::WriteHex(batch->shared->lease.view().Digest(), digest);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_tensor_at(tributary_batch* batch,
                                           uint64_t number,
                                           tributary_tensor* tensor) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(tensor, "tensor"));
    *tensor = {};
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    const size_t count = tributary::TensorsOf(*batch).size();
    if (number >= count) {
      return absl::OutOfRangeError(absl::StrCat(
          "number is ", number, "; the batch has ", count, " tensors, from 0"));
    }
    tributary::DescribeInBatch(*batch, number, tensor);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_tensor(tributary_batch* batch,
                                        const char* name,
                                        tributary_tensor* tensor) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(tensor, "tensor"));
    *tensor = {};
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(tributary::CheckGiven(name, "name"));
    ASSIGN_OR_RETURN(const size_t number, tributary::FindInBatch(*batch, name));
    tributary::DescribeInBatch(*batch, number, tensor);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_dlpack(
    tributary_batch* batch, const char* name,
    struct DLManagedTensorVersioned** tensor) {
  return tributary::ExportByName(batch, name, tensor);
}

tributary_status tributary_batch_dlpack_unversioned(
    tributary_batch* batch, const char* name, struct DLManagedTensor** tensor) {
  return tributary::ExportByName(batch, name, tensor);
}

void tributary_batch_close(tributary_batch* batch) {
  if (batch == nullptr || !batch->InOwnProcess()) return;
  tributary::GuardClose([&] { delete batch; });
}

}  // extern "C"
