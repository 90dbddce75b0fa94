// The generated source against the graph in memory.
#include <bit>
#include <cmath>

#include "gtest/gtest.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/pipeline/inputs/rmat/rmat.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

const RmatOptions kAll{.scale = 8,
                       .edges = 3000,
                       .feat_dim = 5,
                       .classes = 3,
                       .random_seed = 4,
                       .edge_weights = true,
                       .edge_times = true,
                       .node_times = true,
                       .edge_masks = {"even", "odd"}};

TEST(RmatSource, IsTheGraphInMemory) {
  const auto source = GenerateRmatSource(kAll);
  ASSERT_TRUE(source.ok()) << source.status();
  const auto loaded = LoadContent(*source);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(ComputeContentDigest(*loaded),
            ComputeContentDigest(*GenerateRmat(kAll)));
}

// Edges are computed in blocks; a range within one, and across two.
TEST(RmatSource, RangesAreThoseOfTheWhole) {
  const auto source = GenerateRmatSource(kAll);
  ASSERT_TRUE(source.ok()) << source.status();
  for (const ColumnPtr& ends :
       {source->edge_types[0].from, source->edge_types[0].to}) {
    std::vector<int64_t> all(3000), some(1200);
    ASSERT_TRUE(
        ends->Read(0, 3000, reinterpret_cast<uint8_t*>(all.data())).ok());
    ASSERT_TRUE(
        ends->Read(900, 1200, reinterpret_cast<uint8_t*>(some.data())).ok());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 900));
  }
}

// More nodes than Permutation holds as a table.
TEST(RmatSource, EdgesAmongManyNodesAreThoseInMemory) {
  const auto source = GenerateRmatSource({.scale = 21, .edges = 4000});
  const auto content = GenerateRmat({.scale = 21, .edges = 4000});
  ASSERT_TRUE(source.ok() && content.ok()) << source.status();
  std::vector<int64_t> from(4000), to(4000);
  const EdgeSource& edges = source->edge_types[0];
  ASSERT_TRUE(
      edges.from->Read(0, 4000, reinterpret_cast<uint8_t*>(from.data())).ok());
  ASSERT_TRUE(
      edges.to->Read(0, 4000, reinterpret_cast<uint8_t*>(to.data())).ok());
  const Adjacency& in = content->edge_types[0].in_edges;
  for (int64_t v = 0; v < in.num_nodes(); ++v) {
    for (uint64_t i = in.indptr()[v]; i < in.indptr()[v + 1]; ++i) {
      const InEdge edge = in.edge(i);
      ASSERT_EQ(std::pair(from[edge.edge_id], to[edge.edge_id]),
                std::pair(edge.neighbor, v));
    }
  }
}

double ValueOf(uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const double size = exponent == 0
                          ? std::ldexp(mantissa, -24)
                          : std::ldexp(1024 + mantissa, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

// Of all float16 numbers none is closer, and of two as close the even one is
// taken.
TEST(RmatSource, Float16FeaturesAreTheNearest) {
  RmatOptions options{.scale = 10, .feat_dim = 40, .classes = 5};
  const auto wide = GenerateRmatSource(options);
  options.feat_dtype = DType::kFloat16;
  const auto narrow = GenerateRmatSource(options);
  ASSERT_TRUE(wide.ok() && narrow.ok()) << narrow.status();
  EXPECT_EQ(narrow->node_types[0].x->schema(),
            (ColumnSchema{DType::kFloat16, 40}));
  std::vector<float> values(1024 * 40);
  std::vector<uint16_t> halves(values.size());
  ASSERT_TRUE(wide->node_types[0]
                  .x->Read(0, 1024, reinterpret_cast<uint8_t*>(values.data()))
                  .ok());
  ASSERT_TRUE(narrow->node_types[0]
                  .x->Read(0, 1024, reinterpret_cast<uint8_t*>(halves.data()))
                  .ok());
  for (size_t i = 0; i < values.size(); ++i) {
    const double error = std::abs(ValueOf(halves[i]) - values[i]);
    for (const int step : {-1, 1}) {
      const auto next = static_cast<uint16_t>(halves[i] + step);
      const double other = std::abs(ValueOf(next) - values[i]);
      ASSERT_TRUE(error < other || (error == other && halves[i] % 2 == 0))
          << values[i] << " became " << ValueOf(halves[i]);
    }
  }
}

TEST(RmatSource, RefusesOtherTypesOfFeatures) {
  EXPECT_EQ(GenerateRmatSource({.feat_dtype = DType::kInt8}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
