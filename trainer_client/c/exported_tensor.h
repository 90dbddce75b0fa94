// A batch's tensor in the structures of DLPack.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_EXPORTED_TENSOR_H_
#define TRIBUTARY_TRAINER_CLIENT_C_EXPORTED_TENSOR_H_

#include <cstddef>
#include <memory>

#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary_dlpack.h"

namespace tributary {

// Returns the tensor with this number, which shares the batch until its deleter
// is called; any thread may do so, once. `Managed` is DLManagedTensorVersioned,
// which is flagged as read-only, or DLManagedTensor. Throws std::bad_alloc.
template <typename Managed>
Managed* ExportTensor(std::shared_ptr<const SharedBatch> batch, size_t number);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_C_EXPORTED_TENSOR_H_
