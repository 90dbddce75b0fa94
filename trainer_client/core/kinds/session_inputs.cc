#include "trainer_client/core/kinds/session_inputs.h"

#include <algorithm>

#include "common/proto/session.pb.h"
#include "trainer_client/core/kinds/input_list.h"

namespace tributary {

Sha256Digest SessionInputs::Sha256() const {
  return WithWeights(links.has_value() ? LinksSha256(*links, times)
                                       : InputsSha256(nodes, times),
                     weights);
}

uint64_t InputsOfLargestBatch(const v1::SessionSpec& spec) {
  return std::min<uint64_t>(spec.batch_size(), spec.inputs().count());
}

}  // namespace tributary
