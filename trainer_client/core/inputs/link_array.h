// Reads lists of links from .npy files.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_LINK_ARRAY_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_LINK_ARRAY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "trainer_client/core/kinds/link_options.h"

namespace tributary {

// Reads the sources, destinations and labels of `links` from the bytes of a
// whole .npy file of the shape [links, 2] or [links, 3], as numpy.save writes
// it. Of whole numbers the third column has int64 labels, of floats float32
// ones; there the ids must be whole. INVALID_ARGUMENT for another shape, type
// or value; DATA_LOSS for a truncated file; `links` is then as it was.
absl::Status ReadLinkArray(absl::Span<const uint8_t> file,
                           EdgeTypeLinks* links);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_LINK_ARRAY_H_
