// Random walks, computed straight from docs/sampling.md: in original ids, one
// walk and one try at a time, testing membership by scanning every edge.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/session/kinds/walk_spec.h"
#include "sampler_server/engine/testing/definition.h"
#include "tests/brute_force/random_case.h"
#include "tests/kinds/defined_batch.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

constexpr uint64_t kWhole = uint64_t{1} << 32;

uint64_t Share(double probability) {
  const double scaled = probability * static_cast<double>(kWhole);
  auto below = static_cast<uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(below);
  if (rest > 0.5 || (rest == 0.5 && below % 2 == 1)) ++below;
  return below;
}

class Walks {
 public:
  Walks(const MemoryGraphSpec& graph, const SpecOptions& options,
        const WalkOptions& walk, const BatchRequest& request)
      : graph_(graph),
        walk_(walk),
        request_(request),
        batch_(graph, options, request) {
    key_ = DefinedKey({.random_seed = options.random_seed,
                       .epoch = request.key.epoch,
                       .batch = request.key.index,
                       .purpose = 4,
                       .name = ""});
  }

  std::string Digest() {
    Prepare();
    const size_t columns = walk_.walk_length + 1;
    for (int64_t id : request_.original_id) {
      for (uint32_t k = 0; k < walk_.walks_per_node; ++k) {
        walks_.push_back(OneWalk(id, static_cast<uint32_t>(walks_.size())));
      }
    }
    std::vector<int32_t> index(walks_.size() * columns, -1);
    for (size_t c = 0; c < columns; ++c) {
      for (size_t w = 0; w < walks_.size(); ++w) {
        if (walks_[w][c] >= 0)
          index[w * columns + c] = batch_.Number(type_at_[c], walks_[w][c]);
      }
    }
    std::vector<int64_t> flat;
    for (const auto& walk : walks_) {
      flat.insert(flat.end(), walk.begin(), walk.end());
    }
    batch_.Put<int64_t>("walks", DType::kInt64, {walks_.size(), columns}, flat);
    batch_.Put<int32_t>("walk_index", DType::kInt32, {walks_.size(), columns},
                        index);
    return batch_.Digest({type_at_.begin(), type_at_.end()});
  }

 private:
  struct Step {
    std::string src, dst;
    std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> neighbors;
  };

  void Prepare() {
    for (const auto& type : graph_.edge_types) {
      const std::string name = type.name();
      Step& step = types_[name];
      step.src = type.src;
      step.dst = type.dst;
      for (size_t e = 0; e < type.edges.size(); ++e) {
        step.neighbors[type.edges[e].second].emplace_back(type.edges[e].first,
                                                          e);
      }
      for (auto& [v, list] : step.neighbors)
        std::sort(list.begin(), list.end());
    }
    std::vector<std::string> path = walk_.metapath;
    if (path.empty()) path.push_back(types_.begin()->first);
    type_at_.push_back(batch_.input_type());
    for (uint32_t s = 0; s < walk_.walk_length; ++s) {
      steps_.push_back(&types_[path[s % path.size()]]);
      type_at_.push_back(steps_[s]->src);
    }
  }

  uint32_t Word(uint32_t step, uint32_t walk, uint32_t tried, int word) const {
    return Philox4x32(key_, {{step, walk, tried, 0}}).word[word];
  }

  int64_t Drawn(const std::vector<std::pair<int64_t, int64_t>>& list,
                uint32_t step, uint32_t walk, uint32_t tried) const {
    const Words words = [&](uint32_t j) {
      return Word(step, walk, tried, static_cast<int>(j));
    };
    return list[DefinedBelow(words, 0, list.size(), list.size() > 65536)].first;
  }

  std::vector<int64_t> OneWalk(int64_t start, uint32_t walk) {
    std::vector<int64_t> visited(walk_.walk_length + 1, -1);
    int64_t at = visited[0] = start, before = -1;
    for (uint32_t s = 0; s < walk_.walk_length; ++s) {
      if (Word(s, walk, 0, 2) < Share(walk_.restart_prob)) {
        if (walk_.restart_ends) return visited;
        at = visited[s + 1] = start;
        before = -1;
        continue;
      }
      const auto found = steps_[s]->neighbors.find(at);
      if (found == steps_[s]->neighbors.end()) return visited;
      int64_t next = Drawn(found->second, s, walk, 0);
      if (before >= 0 && (walk_.p != 1 || walk_.q != 1)) {
        next = Second(found->second, s, walk, before);
      }
      before = at;
      at = visited[s + 1] = next;
    }
    return visited;
  }

  int64_t Second(const std::vector<std::pair<int64_t, int64_t>>& list,
                 uint32_t step, uint32_t walk, int64_t before) {
    const double most = std::max({1 / walk_.p, 1.0, 1 / walk_.q});
    for (uint32_t tried = 0;; ++tried) {
      const int64_t next = Drawn(list, step, walk, tried);
      double weight = 1 / walk_.q;
      for (const auto& [u, e] : steps_[step]->neighbors[before]) {
        if (u == next) weight = 1;
      }
      if (next == before) weight = 1 / walk_.p;
      if (Word(step, walk, tried, 3) < Share(weight / most) || tried == 65535) {
        return next;
      }
    }
  }

  const MemoryGraphSpec& graph_;
  const WalkOptions& walk_;
  const BatchRequest& request_;
  PhiloxKey key_{};
  std::map<std::string, Step> types_;
  std::vector<Step*> steps_;
  std::vector<std::string> type_at_;  // by column
  std::vector<std::vector<int64_t>> walks_;
  DefinedBatch batch_;
};

// Returns random edge types that a walk can follow from the input type; empty
// if there are none.
std::vector<std::string> RandomPath(const RandomCase& random, uint64_t seed,
                                    uint32_t length) {
  std::string at = random.batch.options.input_type.empty()
                       ? random.graph.node_types[0].name
                       : random.batch.options.input_type;
  std::vector<std::string> path;
  for (uint32_t s = 0; s < length; ++s) {
    std::vector<const MemoryGraphSpec::EdgeType*> possible;
    for (const auto& type : random.graph.edge_types) {
      if (type.dst == at) possible.push_back(&type);
    }
    if (possible.empty()) return {};
    const auto* chosen = possible[(seed + uint64_t{s} * 7) % possible.size()];
    path.push_back(chosen->name());
    at = chosen->src;
  }
  return path;
}

class Fixture final : public KindFixture {
 public:
  absl::string_view kind() const override { return "walk"; }

  KindCase MakeCase(uint64_t seed) const override {
    RandomCase random;
    WalkOptions walk;
    walk.walk_length = 1 + seed * 31 % 12;
    walk.walks_per_node = 1 + seed * 17 % 3;
    for (uint64_t next = seed;; next += 1'000'003) {
      random = MakeRandomCase(next);
      walk.metapath = RandomPath(random, seed, walk.walk_length);
      if (!walk.metapath.empty()) break;
    }
    // These options are for neighbours.
    random.batch.options.draws = {};
    random.batch.options.collect_degrees = false;
    random.batch.options.omit_edge_ids = false;
    random.batch.options.collect = UsualColumns(random.batch.options.collect);
    random.batch.input_time.clear();
    const std::set<std::string> types(walk.metapath.begin(),
                                      walk.metapath.end());
    const bool alike = types.size() == 1;
    if (alike) walk.metapath = {*types.begin()};
    if (alike && !random.graph.heterogeneous) walk.metapath.clear();
    walk.restart_ends = seed % 4 == 1 || !alike;
    if (seed % 3 == 1) walk.restart_prob = 0.15 + 0.1 * (seed % 5);
    // node2vec and restarts need a metapath from a type to itself.
    const auto loops = [&] {
      for (const auto& type : random.graph.edge_types) {
        if (types.count(type.name()) > 0) return type.src == type.dst;
      }
      return false;
    };
    if (alike && loops() && seed % 2 == 0) {
      walk.p = seed % 8 < 4 ? 4 : 0.25;
      walk.q = seed % 6 < 3 ? 0.5 : 3;
    }
    if (!(alike && loops())) walk.restart_ends = true;
    KindCase made{random.graph, random.batch, nullptr, Describe(random)};
    made.batch.build_spec = [walk](const SpecGraph& graph,
                                   const SpecOptions& options) {
      return BuildWalkSpec(graph, options, walk);
    };
    made.defined = [graph = made.graph, options = made.batch.options,
                    walk](const BatchRequest& request) {
      return Walks(graph, options, walk, request).Digest();
    };
    absl::StrAppend(&made.description, "walks of ", walk.walk_length, ", ",
                    walk.walks_per_node, " each, restart ", walk.restart_prob,
                    walk.restart_ends ? " ends" : " goes back", ", p ", walk.p,
                    ", q ", walk.q, ", along '",
                    absl::StrJoin(walk.metapath, ";"), "'\n");
    return made;
  }
};

}  // namespace

const KindFixture& WalkFixture() {
  static const Fixture fixture;
  return fixture;
}

}  // namespace tributary
