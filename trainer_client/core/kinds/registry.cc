#include "trainer_client/core/kinds/registry.h"

#include <variant>

#include "trainer_client/core/kinds/layerwise_client_kind.h"
#include "trainer_client/core/kinds/link_client_kind.h"
#include "trainer_client/core/kinds/neighbor_client_kind.h"
#include "trainer_client/core/kinds/ppr_client_kind.h"
#include "trainer_client/core/kinds/walk_client_kind.h"

namespace tributary {
namespace {

// An alternative of KindOptions without a line here does not compile.
struct Registry {
  using Kind = const ClientKind&;
  Kind operator()(const NeighborOptions&) { return NeighborClientKind(); }
  Kind operator()(const LinkOptions&) { return LinkClientKind(); }
  Kind operator()(const WalkOptions&) { return WalkClientKind(); }
  Kind operator()(const PprOptions&) { return PprClientKind(); }
  Kind operator()(const LayerwiseOptions&) { return LayerwiseClientKind(); }
};

}  // namespace

const ClientKind& KindOf(const KindOptions& options) {
  return std::visit(Registry(), options);
}

}  // namespace tributary
