// Counts the negatives of a batch for which no allowed pair was found. No
// torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_EXHAUSTED_NEGATIVES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_EXHAUSTED_NEGATIVES_H_

#include <cstdint>

#include "common/batch/batch_view.h"

namespace tributary {

// Returns the sum of the batch's num_exhausted, over its types of links: what
// is accepted instead may be an edge, or too new. 0 where none are counted.
uint64_t ExhaustedNegatives(const BatchView& batch);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_EXHAUSTED_NEGATIVES_H_
