// The mask of dropout, from a key. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_DROPOUT_DROPOUT_MASK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_DROPOUT_DROPOUT_MASK_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// Sets each value of `mask` to `value` with probability `keep`, in [0, 1], and
// to 0 otherwise. The mask is a function of key, keep and its size alone, and
// the start of a longer one.
//
// Place i is kept if u_i < keep, where u_i is the low 53 bits of the 64 that
// words 2i (high) and 2i + 1 (low) of MT19937 make, over 2^53; the generator is
// seeded with the key's low 32 bits. LibTorch 2.11's Tensor.bernoulli_ draws
// the same of a CPU generator with that seed, in three times the time.
void FillDropoutMask(uint64_t key, double keep, float value,
                     absl::Span<float> mask);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_DROPOUT_DROPOUT_MASK_H_
