// Creates tensors on the members of an attempt.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_CREATION_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_CREATION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/proto/tensors.pb.h"
#include "partition/schema/schema.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// The rows that tensors begin with.
class TensorRestorer {
 public:
  virtual ~TensorRestorer() = default;
  virtual bool Has(const std::string& name) const = 0;
  // Requires Has. FAILED_PRECONDITION if the tensor was another one.
  virtual absl::Status Check(const v1::TensorSpec& spec) const = 0;
  virtual v1::SparseOptimizer OptimizerOf(const std::string& name) const = 0;
  // Writes the rows of a new tensor that Check has passed.
  virtual absl::Status Restore(std::shared_ptr<TensorClient> client,
                               std::shared_ptr<const TensorInfo> tensor,
                               CollectiveProgress& progress) = 0;
};

// Returns the specification that options ask for; with a policy, of as many
// rows as its type has. INVALID_ARGUMENT with the option, its value and what is
// allowed.
absl::StatusOr<v1::TensorSpec> SpecOf(const DistTensorOptions& options,
                                      const GraphSchema& schema);

// Creates the tensor on all members, or finds it, and adds it to the client's
// tensors. A collective; see DistTensor::Create.
absl::StatusOr<std::shared_ptr<const TensorInfo>> CreateTensor(
    const std::shared_ptr<TensorClient>& client,
    const DistTensorOptions& options);

// Adds the state of an optimizer on all members of the tensor. Not a
// collective: rank 0 calls it.
absl::Status AttachOnMembers(TensorClient& client, const TensorInfo& tensor,
                             v1::SparseOptimizer optimizer);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_CREATION_H_
