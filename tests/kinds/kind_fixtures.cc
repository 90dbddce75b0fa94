#include "tests/kinds/kind_fixture.h"

namespace tributary {

absl::Span<const KindFixture* const> AllFixtures() {
  static const KindFixture* const fixtures[] = {
      &NeighborFixture(),  &WalkFixture(), &PprFixture(),
      &LayerwiseFixture(), &LinkFixture(),
  };
  return fixtures;
}

}  // namespace tributary
