// What a kind of sampling brings to the suite that all kinds pass.
#ifndef TRIBUTARY_TESTS_KINDS_KIND_FIXTURE_H_
#define TRIBUTARY_TESTS_KINDS_KIND_FIXTURE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// A graph, a batch of it, and what the kind's page defines it to be.
struct KindCase {
  MemoryGraphSpec graph;
  BatchCase batch;
  // The digest by docs/sampling.md: written down once more, as slowly as it
  // reads, in original ids, without partitions.
  std::function<std::string(const BatchRequest&)> defined;
  std::string description;
};

class KindFixture {
 public:
  virtual ~KindFixture() = default;
  // SamplingKind::name().
  virtual absl::string_view kind() const = 0;
  // A pure function of the seed. Some hundred seeds between them use every
  // option of the kind, on graphs with parallel edges, self loops, dead ends,
  // empty types and partitions, and inputs with duplicates.
  virtual KindCase MakeCase(uint64_t seed) const = 0;
};

// One of every kind of the registry: kind_fixtures.cc.
absl::Span<const KindFixture* const> AllFixtures();

const KindFixture& LinkFixture();
const KindFixture& NeighborFixture();
const KindFixture& WalkFixture();
const KindFixture& PprFixture();
const KindFixture& LayerwiseFixture();

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_KIND_FIXTURE_H_
