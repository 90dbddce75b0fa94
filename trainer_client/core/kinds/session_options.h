// The options of one session of any kind of sampling.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_SESSION_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_SESSION_OPTIONS_H_

#include <utility>
#include <variant>

#include "common/session/kinds/layerwise_spec.h"
#include "common/session/kinds/ppr_spec.h"
#include "common/session/kinds/walk_spec.h"
#include "trainer_client/core/kinds/link_options.h"
#include "trainer_client/core/kinds/loader_options.h"

namespace tributary {

// A kind of sampling with its options: exactly one.
using KindOptions = std::variant<NeighborOptions, LinkOptions, WalkOptions,
                                 PprOptions, LayerwiseOptions>;

// The options that a session is opened with, for programs that choose the kind
// at run time; others use the loaders of each kind (dist_neighbor_loader.h and
// the others), which make it.
//
//   SessionOptions options(common, WalkOptions{.walk_length = 20});
struct SessionOptions : CommonLoaderOptions {
  SessionOptions() = default;  // of neighbours, without fanouts
  SessionOptions(const CommonLoaderOptions& common, KindOptions of_kind)
      : CommonLoaderOptions(common), kind(std::move(of_kind)) {}
  SessionOptions(const NeighborLoaderOptions& options)  // NOLINT: the same
      : CommonLoaderOptions(options),
        kind(static_cast<const NeighborOptions&>(options)) {}

  KindOptions kind;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_SESSION_OPTIONS_H_
