// Parses the option --num-neighbors of `tributary sample`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_FANOUTS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_FANOUTS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// Fills the fanouts of `options` from a list for each hop, "15,10,5", or lists
// by edge type, "4,3;publication,author,person=2,0". Without a default list,
// other edge types are not sampled. Returns a usage error, which names `flag`,
// for an empty text, a fanout below -1 or lists of different lengths.
absl::Status FillNumNeighbors(absl::string_view text, NeighborOptions* options,
                              absl::string_view flag = "--num-neighbors");

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_FANOUTS_H_
