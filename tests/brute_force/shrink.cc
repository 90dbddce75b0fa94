#include "tests/brute_force/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/brute_force/case_demands.h"

namespace tributary {
namespace {

using Fails = std::function<bool(const RandomCase&)>;

class Shrinker {
 public:
  Shrinker(RandomCase c, const Fails& fails)
      : case_(std::move(c)), fails_(fails) {}

  RandomCase Run() {
    bool smaller = true;
    while (smaller && tries_left_ > 0) {
      smaller = false;
      for (const bool less :
           {Layout(), Batch(), Options(), Hops(), Columns()}) {
        smaller |= less;
      }
      smaller |= FewerOf([](RandomCase& c) { return &c.batch.inputs; },
                         [](RandomCase& c, size_t from, size_t to) {
                           Erase(c.batch.input_time, from, to);
                         },
                         1);
      for (size_t t = 0; t < case_.graph.edge_types.size(); ++t) {
        if (case_.graph.edge_types[t].reverse) continue;
        smaller |=
            FewerOf([t](RandomCase& c) { return &c.graph.edge_types[t].edges; },
                    [t](RandomCase& c, size_t from, size_t to) {
                      Erase(c.graph.edge_types[t].weight, from, to);
                      Erase(c.graph.edge_types[t].time, from, to);
                      for (auto& [name, mask] : c.graph.edge_types[t].masks) {
                        Erase(mask, from, to);
                      }
                    },
                    0);
      }
      smaller |= Nodes();
    }
    return case_;
  }

 private:
  // Erases [from, to) of a list parallel to another one, unless it is empty.
  template <typename T>
  static void Erase(std::vector<T>& list, size_t from, size_t to) {
    if (list.empty()) return;
    list.erase(list.begin() + from, list.begin() + to);
  }
  // Applies `change` to the case; keeps the result if it still fails.
  template <typename Change>
  bool Try(Change change) {
    if (tries_left_-- <= 0) return false;
    RandomCase next = case_;
    if (!change(next)) return false;
    RenewReverses(&next.graph);
    if (!HasWhatItDrawsBy(next) || !fails_(next)) return false;
    case_ = std::move(next);
    return true;
  }
  // Sets the field that `place` names; returns false if it had that value.
  template <typename Place, typename Value>
  bool TrySet(Place place, const Value& value) {
    return Try([&](RandomCase& c) {
      return std::exchange(*place(c), value) != value;
    });
  }

  bool Layout() {
    bool smaller = Try([](RandomCase& c) {
      if (c.graph.num_partitions == 1) return false;
      c.graph.num_partitions = 1;
      c.here = {0};
      for (auto& type : c.graph.node_types) type.partition_of.clear();
      return true;
    });
    smaller |= TrySet([](RandomCase& c) { return &c.graph.wide_ids; }, false);
    return smaller;
  }

  // Makes the case the first batch of all remaining inputs, in list order.
  bool Batch() {
    bool smaller =
        TrySet([](RandomCase& c) { return &c.batch.options.shuffle; },
               ShuffleMode::kNone);
    smaller |= TrySet([](RandomCase& c) { return &c.batch.epoch; }, 0u);
    smaller |= Try([](RandomCase& c) {
      const uint64_t first = c.batch.index * c.batch.options.batch_size;
      if (first == 0 || first >= c.batch.inputs.size()) return false;
      c.batch.inputs.erase(c.batch.inputs.begin(),
                           c.batch.inputs.begin() + first);
      Erase(c.batch.input_time, 0, first);
      c.batch.index = 0;
      return true;
    });
    return smaller;
  }

  bool Options() {
    bool smaller =
        TrySet([](RandomCase& c) { return &c.batch.options.replace; }, false);
    smaller |= TrySet([](RandomCase& c) { return &c.batch.options.expand; },
                      ExpandMode::kNew);
    smaller |= TrySet([](RandomCase& c) { return &c.batch.options.collect; },
                      CollectedColumns::None());
    smaller |=
        TrySet([](RandomCase& c) { return &c.batch.options.feature_dtype; },
               FeatureDType::kStored);
    smaller |= TrySet(
        [](RandomCase& c) { return &c.batch.options.collect_degrees; }, false);
    smaller |= TrySet(
        [](RandomCase& c) { return &c.batch.options.omit_edge_ids; }, false);
    smaller |= Try([](RandomCase& c) {
      c.batch.input_time.clear();
      return std::exchange(c.batch.options.draws, DrawOptions()) !=
             DrawOptions();
    });
    smaller |= TrySet(
        [](RandomCase& c) { return &c.batch.options.draws.edge_predicates; },
        EdgePredicates());
    smaller |= TrySet(
        [](RandomCase& c) { return &c.batch.options.draws.edge_mask; }, "");
    smaller |= TrySet(
        [](RandomCase& c) { return &c.batch.options.draws.strict; }, false);
    smaller |= TrySet(
        [](RandomCase& c) { return &c.batch.options.draws.temporal_strategy; },
        TemporalStrategy::kUniform);
    smaller |= TrySet(
        [](RandomCase& c) {
          return &c.batch.options.num_neighbors.by_edge_type;
        },
        std::map<std::string, std::vector<int32_t>>());
    return smaller;
  }

  bool Hops() {
    return Try([](RandomCase& c) {
      NumNeighbors& n = c.batch.options.num_neighbors;
      if (n.by_default.size() < 2) return false;
      n.by_default.pop_back();
      for (auto& [name, fanouts] : n.by_edge_type) fanouts.pop_back();
      return true;
    });
  }

  bool Columns() {
    bool smaller = false;
    for (size_t t = 0; t < case_.graph.node_types.size(); ++t) {
      smaller |= TrySet(
          [t](RandomCase& c) { return &c.graph.node_types[t].x_dim; }, 0);
      smaller |= TrySet(
          [t](RandomCase& c) { return &c.graph.node_types[t].has_y; }, false);
      smaller |= TrySet(
          [t](RandomCase& c) { return &c.graph.node_types[t].scaled; }, false);
    }
    for (size_t t = 0; t < case_.graph.edge_types.size(); ++t) {
      if (case_.graph.edge_types[t].reverse) continue;
      smaller |=
          TrySet([t](RandomCase& c) { return &c.graph.edge_types[t].has_attr; },
                 false);
      smaller |= TrySet(
          [t](RandomCase& c) { return &c.graph.edge_types[t].scaled; }, false);
    }
    return smaller;
  }

  // Removes pieces of a list, halves first, and the same pieces of the lists
  // parallel to it; keeps at least `least`. A batch index beyond the remaining
  // inputs is not a valid case.
  template <typename ListOf, typename EraseBeside>
  bool FewerOf(ListOf list_of, EraseBeside erase_beside, size_t least) {
    bool smaller = false;
    for (size_t piece = list_of(case_)->size(); piece > 0; piece /= 2) {
      for (size_t at = 0; at < list_of(case_)->size();) {
        const bool fewer = Try([&](RandomCase& c) {
          auto& list = *list_of(c);
          const size_t end = std::min(at + piece, list.size());
          list.erase(list.begin() + at, list.begin() + end);
          erase_beside(c, at, end);
          return list.size() >= least &&
                 c.batch.index * c.batch.options.batch_size <
                     c.batch.inputs.size();
        });
        smaller |= fewer;
        if (!fewer) at += piece;
      }
    }
    return smaller;
  }

  // Removes unused nodes at the end of each type.
  bool Nodes() {
    bool smaller = false;
    for (size_t t = 0; t < case_.graph.node_types.size(); ++t) {
      smaller |= Try([t](RandomCase& c) {
        auto& type = c.graph.node_types[t];
        const int64_t used = Used(c, type.name);
        if (used >= type.num_nodes) return false;
        type.num_nodes = used;
        if (!type.partition_of.empty()) type.partition_of.resize(used);
        if (!type.time.empty()) type.time.resize(used);
        return true;
      });
    }
    return smaller;
  }
  static int64_t Used(const RandomCase& c, const std::string& name) {
    int64_t used = 0;
    for (const auto& type : c.graph.edge_types) {
      for (const auto& [u, v] : type.edges) {
        if (type.src == name) used = std::max(used, u + 1);
        if (type.dst == name) used = std::max(used, v + 1);
      }
    }
    if (c.batch.options.input_type == name ||
        c.batch.options.input_type.empty()) {
      for (int64_t id : c.batch.inputs) used = std::max(used, id + 1);
    }
    return used;
  }

  RandomCase case_;
  const Fails& fails_;
  int tries_left_ = 4000;
};

}  // namespace

RandomCase Shrink(RandomCase c, const Fails& fails) {
  return Shrinker(std::move(c), fails).Run();
}

}  // namespace tributary
