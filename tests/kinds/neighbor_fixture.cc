#include "sampler_server/engine/testing/expected_batch.h"
#include "tests/brute_force/random_case.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

// Uses the cases of tests/brute_force, which runs thousands and shrinks
// failures.
class Fixture final : public KindFixture {
 public:
  absl::string_view kind() const override { return "node"; }
  KindCase MakeCase(uint64_t seed) const override {
    const RandomCase random =
        seed % 3 == 0 ? MakeDirectedCase(seed) : MakeRandomCase(seed);
    KindCase made{random.graph, random.batch, nullptr, Describe(random)};
    made.defined = [random](const BatchRequest& request) {
      return ExpectedDigest(random.graph, random.batch.options,
                            request.key.epoch, request.key.index,
                            request.input_number, request.original_id,
                            request.input_time);
    };
    return made;
  }
};

}  // namespace

const KindFixture& NeighborFixture() {
  static const Fixture fixture;
  return fixture;
}

}  // namespace tributary
