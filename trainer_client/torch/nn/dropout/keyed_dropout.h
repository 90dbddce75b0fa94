// Dropout whose mask is a function of a key, so that a resumed run draws the
// same.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_DROPOUT_KEYED_DROPOUT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_DROPOUT_KEYED_DROPOUT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tributary {

// Added to the number of a relation, so that its draws differ from those of
// node types.
inline constexpr uint64_t kRelationDraws = uint64_t{1} << 32;

// Returns the key of the draws of one layer for one node type (or relation),
// derived from a batch's draw_key. Each bit of each argument changes all of it.
uint64_t LayerDrawKey(uint64_t draw_key, uint64_t layer, uint64_t type);

// Sets each value of x to 0 with probability p and multiplies the others by 1 /
// (1 - p). Returns x if not `training`, or if p is 0. The mask is a function of
// the key, the shape, the type and the kind of device; neither reads nor
// changes the default generators.
at::Tensor KeyedDropout(const at::Tensor& x, double p, bool training,
                        uint64_t key);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_DROPOUT_KEYED_DROPOUT_H_
