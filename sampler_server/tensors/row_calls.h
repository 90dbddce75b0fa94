// The calls that read and write rows of a tensor; see
// common/proto/tensors.proto. For the sources of ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ROW_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ROW_CALLS_H_

#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/tensor_call.h"

namespace tributary::tensor_internal {

Answer ReadRows(const Call& call, Attempt& attempt,
                const v1::ReadRowsRequest& request);
Answer WriteRows(const Call& call, Attempt& attempt,
                 const v1::WriteRowsRequest& request);
Answer ExportRows(const Call& call, Attempt& attempt,
                  const v1::ExportRowsRequest& request);
Answer ImportRows(const Call& call, Attempt& attempt,
                  const v1::ImportRowsRequest& request);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ROW_CALLS_H_
