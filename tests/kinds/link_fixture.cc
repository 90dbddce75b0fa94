// Random batches of links: every mode of negatives and exclusions, one and
// several edge types.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/session/kinds/link_spec.h"
#include "tests/brute_force/random_case.h"
#include "tests/kinds/defined_batch.h"
#include "tests/kinds/defined_links.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

using EdgeTypes = std::vector<const MemoryGraphSpec::EdgeType*>;

constexpr size_t kMostTypes = 4;

// Adds this many ids of destinations to each link.
void BringNegatives(int64_t nodes, uint64_t each, LinkColumns* links) {
  links->negatives = each;
  for (uint64_t i = 0; i < links->size() * each; ++i) {
    links->negative.push_back(static_cast<int64_t>(i * i + 3 * i) % nodes);
  }
}

// Returns an edge type whose ends have nodes; for every other typed graph
// several, in canonical order. Empty if there is none.
EdgeTypes Supervised(const MemoryGraphSpec& graph, uint64_t seed) {
  std::map<std::string, int64_t> nodes;
  for (const auto& type : graph.node_types) nodes[type.name] = type.num_nodes;
  const size_t most = graph.heterogeneous && seed / 8 % 2 == 0 ? kMostTypes : 1;
  EdgeTypes found;
  for (size_t i = 0; i < graph.edge_types.size() && found.size() < most; ++i) {
    const auto& type = graph.edge_types[(seed + i) % graph.edge_types.size()];
    if (type.reverse && !graph.heterogeneous) continue;  // nobody sees it
    if (nodes[type.src] > 0 && nodes[type.dst] > 0) found.push_back(&type);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Returns links that are edges, and pairs that may be none.
LinkColumns RandomLinks(const RandomCase& random,
                        const MemoryGraphSpec::EdgeType& type, uint64_t seed) {
  std::map<std::string, int64_t> nodes;
  for (const auto& t : random.graph.node_types) nodes[t.name] = t.num_nodes;
  LinkColumns links;
  const size_t count = random.batch.inputs.size();
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t mixed = (seed + 13) * (i + 7) * 2654435761u >> 7;
    if (!type.edges.empty() && mixed % 3 != 0) {
      const auto& edge = type.edges[mixed % type.edges.size()];
      links.source.push_back(edge.first);
      links.destination.push_back(edge.second);
      links.edge_id.push_back(static_cast<int64_t>(mixed % type.edges.size()));
    } else {
      links.edge_id.push_back(-1);
      links.source.push_back(static_cast<int64_t>(mixed) % nodes[type.src]);
      links.destination.push_back(static_cast<int64_t>(mixed >> 9) %
                                  nodes[type.dst]);
    }
  }
  return links;
}

void SetLabels(uint64_t seed, LinkColumns* links) {
  std::vector<int64_t> whole;
  std::vector<float> real;
  for (size_t i = 0; i < links->size(); ++i) {
    whole.push_back(static_cast<int64_t>(seed % 5 + i) - 2);
    real.push_back(0.25f * static_cast<float>(i));
  }
  if (seed % 7 == 1) links->SetLabels(whole);
  if (seed % 7 == 3) links->SetLabels(real);
}

// Errors have no digest; negative_search_test covers them.
NegativeSampling RandomNegatives(uint64_t seed, const EdgeTypes& types,
                                 bool node_times) {
  NegativeSampling negatives;
  negatives.mode = static_cast<NegativeMode>(seed % 4);
  negatives.given =
      negatives.mode >= NegativeMode::kTriplet && seed / 4 % 3 == 1;
  const double amounts[] = {1, 0.3, 2, 2.5, 5};
  negatives.amount = amounts[seed / 4 % 5];
  if (negatives.mode != NegativeMode::kBinary) {
    negatives.amount = std::ceil(negatives.amount);
  }
  if (negatives.given || negatives.mode == NegativeMode::kNone) {
    return negatives;
  }
  if (seed % 3 == 0) {
    negatives.strict = true;
    negatives.on_exhausted = OnExhausted::kAccept;
  }
  if (node_times) negatives.on_exhausted = OnExhausted::kAccept;
  const bool edges = std::all_of(types.begin(), types.end(), [](auto* type) {
    return !type->edges.empty();
  });
  if (edges && seed / 3 % 3 == 1) {
    negatives.degree_power = std::array{0.75, 1.0, 0.1}[seed / 9 % 3];
  }
  return negatives;
}

// Ids here are no reverses' ids xor 1: looked for at the links' sources, where
// edges that are not these end, and at the destinations of out-edges.
ExcludeMode RandomExclude(uint64_t seed, const EdgeTypes& types,
                          EdgeDirection direction) {
  const ExcludeMode exclude =
      std::array{ExcludeMode::kNone, ExcludeMode::kSelf, ExcludeMode::kPair,
                 ExcludeMode::kReverseId}[seed / 7 % 4];
  const bool loops = std::all_of(types.begin(), types.end(), [](auto* type) {
    return type->src == type->dst;
  });
  const bool apart = !loops || direction != EdgeDirection::kIn;
  return exclude == ExcludeMode::kReverseId && apart ? ExcludeMode::kSelf
                                                     : exclude;
}

// The links of all types, one list after another.
LinkColumns AllLinks(const RandomCase& random, const EdgeTypes& types,
                     const NegativeSampling& negatives, uint64_t seed,
                     LinkInputs* inputs) {
  LinkColumns all;
  for (const MemoryGraphSpec::EdgeType* type : types) {
    LinkColumns links = RandomLinks(random, *type, seed + inputs->lists.size());
    if (negatives.given) {
      BringNegatives(NodesOf(random.graph, type->dst),
                     static_cast<uint64_t>(negatives.amount), &links);
    }
    if (types.size() > 1)
      inputs->lists.emplace_back(type->name(), links.size());
    all.negatives = links.negatives;
    all.Append(links);
  }
  return all;
}

// Whether there are any at the links' ends.
bool HaveFeatures(const MemoryGraphSpec& graph, const EdgeTypes& types) {
  return std::any_of(types.begin(), types.end(), [&](const auto* type) {
    return std::any_of(graph.node_types.begin(), graph.node_types.end(),
                       [&](const MemoryGraphSpec::NodeType& end) {
                         return end.x_dim > 0 && (end.name == type->src ||
                                                  end.name == type->dst);
                       });
  });
}

// Leaves out columns that batches of links have otherwise, or not at all.
CollectedColumns ColumnsOfLinks(const MemoryGraphSpec& graph,
                                const EdgeTypes& types,
                                const CollectedColumns& columns) {
  CollectedColumns kept = UsualColumns(columns);
  if (columns.has(CollectedColumn::kWeight)) kept.Add(CollectedColumn::kWeight);
  const bool timed = absl::c_any_of(types, [&](const auto* type) {
    return absl::c_any_of(graph.node_types, [&](const auto& end) {
      return !end.time.empty() &&
             (end.name == type->src || end.name == type->dst);
    });
  });
  if (columns.has(CollectedColumn::kTime) && timed) {
    kept.Add(CollectedColumn::kTime);
  }
  return kept;
}

class Fixture final : public KindFixture {
 public:
  absl::string_view kind() const override { return "link"; }

  KindCase MakeCase(uint64_t seed) const override {
    RandomCase random;
    EdgeTypes types;
    for (uint64_t next = seed; types.empty(); next += 1'000'003) {
      random = seed % 3 == 0 ? MakeDirectedCase(next) : MakeRandomCase(next);
      types = Supervised(random.graph, seed);
    }
    BatchCase& batch = random.batch;
    SpecOptions& options = batch.options;
    options.input_type.clear();
    options.collect = ColumnsOfLinks(random.graph, types, options.collect);
    options.subgraph = SubgraphOptions();
    if (!HaveFeatures(random.graph, types)) {
      options.feature_dtype = FeatureDType::kStored;
    }
    const NegativeSampling negatives =
        RandomNegatives(seed, types, options.draws.time == TimeMode::kNode);
    ExcludeMode exclude = RandomExclude(seed, types, options.draws.edge_dir);
    const bool enclosing = seed % 8 == 4 && types.size() == 1 &&
                           random.graph.node_types.size() == 1;
    if (enclosing) {
      options.draws = {.disjoint = true};
      options.subgraph = {SubgraphType::kInduced, 1'000'000};
      exclude = ExcludeMode::kNone;
    }
    if (options.draws.draw == DrawMode::kAcrossTypes) {
      exclude = ExcludeMode::kNone;
    }
    LinkInputs links{random.graph.heterogeneous ? types[0]->name() : ""};
    batch.links = AllLinks(random, types, negatives, seed, &links);
    if (!NeedsEdgeIds(exclude)) batch.links.edge_id.clear();
    if (negatives.mode != NegativeMode::kTriplet) SetLabels(seed, &batch.links);
    links.label = batch.links.label_type;
    options.links = links;
    batch.inputs.clear();
    SetTimes(&batch);

    KindCase made{random.graph, batch, nullptr, Describe(random)};
    made.batch.build_spec = [negatives, exclude, enclosing](
                                const SpecGraph& graph,
                                const SpecOptions& asked) {
      return BuildLinkSpec(graph, asked, negatives, exclude, enclosing);
    };
    std::vector<size_t> places;
    for (const MemoryGraphSpec::EdgeType* type : types) {
      places.push_back(
          static_cast<size_t>(type - random.graph.edge_types.data()));
      absl::StrAppend(&made.description, "links of ", type->name(), "\n");
    }
    made.defined = [graph = made.graph, options, places, negatives, exclude,
                    enclosing](const BatchRequest& request) {
      std::vector<DefinedLinkList> lists;
      for (size_t i = 0; i < places.size(); ++i) {
        const int64_t count =
            places.size() == 1
                ? INT64_MAX
                : static_cast<int64_t>(options.links->lists[i].second);
        lists.push_back({&graph.edge_types[places[i]], count});
      }
      return DefinedLinkDigest(graph, lists, options, negatives, exclude,
                               enclosing, request);
    };
    absl::StrAppend(
        &made.description, "mode ", static_cast<int>(negatives.mode),
        ", amount ", negatives.amount, negatives.given ? ", given" : "",
        ", degrees to the power ", negatives.degree_power,
        negatives.strict ? ", strict" : "", enclosing ? ", enclosing\n" : "\n");
    return made;
  }

 private:
  // One time for each link, if the session has times.
  static void SetTimes(BatchCase* batch) {
    DrawOptions& draws = batch->options.draws;
    const std::vector<int64_t> given = std::move(batch->input_time);
    batch->input_time.clear();
    if (draws.time == TimeMode::kNone) return;
    draws.input_time = InputTimeMode::kGiven;
    for (size_t i = 0; i < batch->links.size(); ++i) {
      batch->input_time.push_back(given.empty()
                                      ? static_cast<int64_t>(i * 3 % 11)
                                      : given[i % given.size()]);
    }
  }
};

}  // namespace

const KindFixture& LinkFixture() {
  static const Fixture fixture;
  return fixture;
}

}  // namespace tributary
