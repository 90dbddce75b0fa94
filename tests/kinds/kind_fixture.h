// The interface through which a kind of sampling joins the conformance suite
// that all kinds pass (conformance_test.cc).
#ifndef TRIBUTARY_TESTS_KINDS_KIND_FIXTURE_H_
#define TRIBUTARY_TESTS_KINDS_KIND_FIXTURE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// A graph, a batch of it, and the digest that docs/sampling.md defines for it.
struct KindCase {
  MemoryGraphSpec graph;
  BatchCase batch;
  // Returns the expected digest, computed straight from docs/sampling.md in
  // original ids, without partitions or code of the engine.
  std::function<std::string(const BatchRequest&)> defined;
  std::string description;
};

// Makes random cases for one kind. Stateless, so thread-safe.
class KindFixture {
 public:
  virtual ~KindFixture() = default;
  // The kind's SamplingKind::name().
  virtual absl::string_view kind() const = 0;
  // Returns a case that depends on the seed alone. Some hundred seeds together
  // cover every option of the kind, on graphs with parallel edges, self loops,
  // dead ends, empty types and partitions, and inputs with duplicates.
  virtual KindCase MakeCase(uint64_t seed) const = 0;
};

// One fixture for every kind of the registry (kind_fixtures.cc).
absl::Span<const KindFixture* const> AllFixtures();

const KindFixture& LinkFixture();
const KindFixture& NeighborFixture();
const KindFixture& WalkFixture();
const KindFixture& PprFixture();
const KindFixture& LayerwiseFixture();

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_KIND_FIXTURE_H_
