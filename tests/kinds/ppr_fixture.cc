// PPR top-k, computed straight from docs/sampling.md: in original ids, one
// input at a time, with tables of all nodes, and all rounds repeated for each
// input.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/kinds/ppr_spec.h"
#include "tests/brute_force/random_case.h"
#include "tests/kinds/defined_batch.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

using Wide = unsigned __int128;
using Neighbors = std::map<int64_t, std::vector<int64_t>>;

// Score, negated, and node: sorts in the order of a row.
using Row = std::vector<std::pair<uint64_t, int64_t>>;

Row ScoresOf(const Neighbors& neighbors, const PprOptions& ppr, int64_t input) {
  const auto alpha = static_cast<Wide>(std::llround(ppr.alpha * 4294967296.0));
  const auto epsilon =
      static_cast<Wide>(std::llround(ppr.epsilon * 4294967296.0));
  std::map<int64_t, Wide> residual, score;
  residual[input] = Wide{1} << 62;
  for (bool first = true, any = true; any; first = false) {
    any = false;
    std::map<int64_t, Wide> next;
    for (const auto& [v, r] : residual) {
      const auto found = neighbors.find(v);
      const Wide d = found == neighbors.end() ? 0 : found->second.size();
      if (d == 0) {
        score[v] += r;
      } else if (!first &&
                 r * (Wide{1} << 32) < epsilon * d * (Wide{1} << 62)) {
        next[v] += r;
      } else {
        const Wide stays = r * alpha / (Wide{1} << 32);
        const Wide each = (r - stays) / d;
        score[v] += r - each * d;
        for (const int64_t u : found->second) next[u] += each;
        any = true;
      }
    }
    residual = std::move(next);
  }
  Row row;
  for (const auto& [v, s] : score) {
    if (s > 0) row.emplace_back(~static_cast<uint64_t>(s), v);
  }
  std::sort(row.begin(), row.end());
  row.resize(std::min<size_t>(row.size(), ppr.top_k));
  return row;
}

std::string Defined(const MemoryGraphSpec& graph, const SpecOptions& options,
                    const PprOptions& ppr, const BatchRequest& request) {
  DefinedBatch batch(graph, options, request);
  Neighbors neighbors;
  for (const auto& type : graph.edge_types) {
    if (!ppr.edge_type.empty() && type.name() != ppr.edge_type) continue;
    for (const auto& [u, v] : type.edges) neighbors[v].push_back(u);
  }
  std::vector<int64_t> id;
  std::vector<int32_t> index;
  std::vector<float> weight;
  for (const int64_t input : request.original_id) {
    Row row = ScoresOf(neighbors, ppr, input);
    for (const auto& [less, v] : row) {
      id.push_back(v);
      index.push_back(batch.Number(batch.input_type(), v));
      weight.push_back(static_cast<float>(static_cast<double>(~less) /
                                          4611686018427387904.0));
    }
    for (size_t i = row.size(); i < ppr.top_k; ++i) {
      id.push_back(-1);
      index.push_back(-1);
      weight.push_back(0);
    }
  }
  const uint64_t n = request.original_id.size(), k = ppr.top_k;
  batch.Put<int64_t>("ppr_id", DType::kInt64, {n, k}, id);
  batch.Put<int32_t>("ppr_index", DType::kInt32, {n, k}, index);
  batch.Put<float>("ppr_weight", DType::kFloat32, {n, k}, weight);
  return batch.Digest({batch.input_type()});
}

class Fixture final : public KindFixture {
 public:
  absl::string_view kind() const override { return "ppr"; }

  KindCase MakeCase(uint64_t seed) const override {
    RandomCase random;
    PprOptions ppr;
    for (uint64_t next = seed; ppr.edge_type.empty(); next += 1'000'003) {
      random = MakeRandomCase(next);
      std::string& input = random.batch.options.input_type;
      for (const auto& type : random.graph.edge_types) {
        const std::string at =
            input.empty() ? random.graph.node_types[0].name : input;
        if (type.src == at && type.dst == at) ppr.edge_type = type.name();
      }
    }
    if (random.graph.edge_types.size() == 1) ppr.edge_type.clear();
    // These options are for neighbours.
    random.batch.options.draws = {};
    random.batch.options.collect_degrees = false;
    random.batch.options.omit_edge_ids = false;
    random.batch.options.collect = UsualColumns(random.batch.options.collect);
    random.batch.input_time.clear();
    ppr.top_k = 1 + seed * 13 % 20;
    ppr.alpha = (1 + seed * 7 % 10) / 10.0;
    const double epsilons[] = {0.3, 0.02, 0.001, 0.00005};
    ppr.epsilon = epsilons[seed % 4];
    KindCase made{random.graph, random.batch, nullptr, Describe(random)};
    made.batch.build_spec = [ppr](const SpecGraph& graph,
                                  const SpecOptions& options) {
      return BuildPprSpec(graph, options, ppr);
    };
    made.defined = [graph = made.graph, options = made.batch.options,
                    ppr](const BatchRequest& request) {
      return Defined(graph, options, ppr, request);
    };
    absl::StrAppend(&made.description, "PPR, ", ppr.top_k, " of each, alpha ",
                    ppr.alpha, ", epsilon ", ppr.epsilon, ", along '",
                    ppr.edge_type, "'\n");
    return made;
  }
};

}  // namespace

const KindFixture& PprFixture() {
  static const Fixture fixture;
  return fixture;
}

}  // namespace tributary
