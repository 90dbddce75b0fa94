// Random walks as docs/sampling.md words them, written down once more: original
// ids, one walk and one try at a time, membership by looking at every edge.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/sha256.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/kinds/walk/walk_spec.h"
#include "tests/brute_force/random_case.h"
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
      : graph_(graph), options_(options), walk_(walk), request_(request) {
    key_ = DefinedKey({.random_seed = options.random_seed,
                       .epoch = request.key.epoch,
                       .batch = request.key.index,
                       .purpose = 4,
                       .name = ""});
  }

  std::string Digest() {
    Prepare();
    for (int64_t id : request_.original_id) seeds_.push_back(Number(0, id));
    const size_t unique = ids_[type_at_[0]].size();
    const size_t columns = walk_.walk_length + 1;
    for (int64_t id : request_.original_id) {
      for (uint32_t k = 0; k < walk_.walks_per_node; ++k) {
        walks_.push_back(OneWalk(id, static_cast<uint32_t>(walks_.size())));
      }
    }
    std::vector<int32_t> index(walks_.size() * columns, -1);
    for (size_t c = 0; c < columns; ++c) {
      for (size_t w = 0; w < walks_.size(); ++w) {
        if (walks_[w][c] >= 0) index[w * columns + c] = Number(c, walks_[w][c]);
      }
    }
    std::vector<int64_t> flat;
    for (const auto& walk : walks_) {
      flat.insert(flat.end(), walk.begin(), walk.end());
    }
    const std::string in = Suffix(type_at_[0]);
    const uint64_t n = seeds_.size();
    Put<int64_t>("batch_size" + in, 5, {1}, {static_cast<int64_t>(unique)});
    Put<int64_t>("input_id" + in, 5, {n}, request_.input_number);
    Put<int32_t>("seed_index" + in, 4, {n}, seeds_);
    Put<int64_t>("walks", 5, {walks_.size(), columns}, flat);
    Put<int32_t>("walk_index", 4, {walks_.size(), columns}, index);
    PutNodes();
    return Hash();
  }

 private:
  struct Step {
    std::string src, dst;
    std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> neighbors;
  };

  void Prepare() {
    for (const auto& type : graph_.edge_types) {
      const std::string name = type.src + "," + type.rel + "," + type.dst;
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
    type_at_.push_back(options_.input_type.empty() ? graph_.node_types[0].name
                                                   : options_.input_type);
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

  int32_t Number(size_t column, int64_t id) {
    auto& numbers = numbers_[type_at_[column]];
    auto& ids = ids_[type_at_[column]];
    const auto [it, fresh] =
        numbers.emplace(id, static_cast<int32_t>(ids.size()));
    if (fresh) ids.push_back(id);
    return it->second;
  }

  std::string Suffix(const std::string& type) const {
    return graph_.heterogeneous ? "/" + type : "";
  }

  void PutNodes() {
    const std::set<std::string> planned(type_at_.begin(), type_at_.end());
    for (const auto& type : graph_.node_types) {
      if (planned.count(type.name) == 0) continue;
      const auto& ids = ids_[type.name];
      const uint64_t n = ids.size();
      Put<int64_t>("n_id" + Suffix(type.name), 5, {n}, ids);
      if (!options_.collect_features) continue;
      std::vector<float> x;
      std::vector<int64_t> y;
      for (int64_t id : ids) {
        for (int64_t j = 0; j < type.x_dim; ++j) {
          x.push_back(static_cast<float>(id) + static_cast<float>(j) / 8);
        }
        y.push_back(3 * id);
      }
      const auto dim = static_cast<uint64_t>(type.x_dim);
      if (dim > 0) Put<float>("x" + Suffix(type.name), 8, {n, dim}, x);
      if (type.has_y) Put<int64_t>("y" + Suffix(type.name), 5, {n}, y);
    }
  }

  template <typename T>
  void Put(const std::string& name, uint8_t dtype, std::vector<uint64_t> dims,
           const std::vector<T>& values) {
    Tensor& bytes = bytes_[name];
    bytes.dtype = dtype;
    bytes.dims = std::move(dims);
    bytes.raw.assign(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(T));
  }

  std::string Hash() const {
    Sha256 sha;
    for (const auto& [name, tensor] : bytes_) {
      sha.UpdateU32(static_cast<uint32_t>(name.size()));
      sha.Update(name);
      sha.UpdateU8(tensor.dtype);
      sha.UpdateU8(static_cast<uint8_t>(tensor.dims.size()));
      for (uint64_t dim : tensor.dims) sha.UpdateU64(dim);
      sha.Update(tensor.raw);
    }
    return ToHex(sha.Finish());
  }

  struct Tensor {
    uint8_t dtype = 0;
    std::vector<uint64_t> dims;
    std::string raw;
  };

  const MemoryGraphSpec& graph_;
  const SpecOptions& options_;
  const WalkOptions& walk_;
  const BatchRequest& request_;
  PhiloxKey key_{};
  std::map<std::string, Step> types_;
  std::vector<Step*> steps_;
  std::vector<std::string> type_at_;  // by column
  std::vector<int32_t> seeds_;
  std::vector<std::vector<int64_t>> walks_;
  std::map<std::string, std::map<int64_t, int32_t>> numbers_;
  std::map<std::string, std::vector<int64_t>> ids_;
  std::map<std::string, Tensor> bytes_;
};

std::string NameOf(const MemoryGraphSpec::EdgeType& type) {
  return type.src + "," + type.rel + "," + type.dst;
}

// Edge types along which a walk can go from the input type, at random; empty
// where there are none.
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
    const auto* chosen = possible[(seed + s * 7) % possible.size()];
    path.push_back(NameOf(*chosen));
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
    // Those are for neighbours.
    random.batch.options.draws = {};
    random.batch.input_time.clear();
    const std::set<std::string> types(walk.metapath.begin(),
                                      walk.metapath.end());
    const bool alike = types.size() == 1;
    if (alike) walk.metapath = {*types.begin()};
    if (alike && !random.graph.heterogeneous) walk.metapath.clear();
    walk.restart_ends = seed % 4 == 1 || !alike;
    if (seed % 3 == 1) walk.restart_prob = 0.15 + 0.1 * (seed % 5);
    // A round trip from a type to itself is what node2vec and restarts take.
    const auto loops = [&] {
      for (const auto& type : random.graph.edge_types) {
        if (types.count(NameOf(type)) > 0) return type.src == type.dst;
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
