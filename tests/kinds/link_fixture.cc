// Random batches of links, of every mode of negatives and exclusions.
#include <array>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "sampler_server/kinds/link/link_spec.h"
#include "tests/brute_force/random_case.h"
#include "tests/kinds/defined_links.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

// So many ids of destinations with each link.
void BringNegatives(int64_t nodes, uint64_t each, LinkColumns* links) {
  links->negatives = each;
  for (uint64_t i = 0; i < links->size() * each; ++i) {
    links->negative.push_back(static_cast<int64_t>(i * i + 3 * i) % nodes);
  }
}

// An edge type whose ends have nodes; none where there is none.
const MemoryGraphSpec::EdgeType* Supervised(const MemoryGraphSpec& graph,
                                            uint64_t seed) {
  std::map<std::string, int64_t> nodes;
  for (const auto& type : graph.node_types) nodes[type.name] = type.num_nodes;
  for (size_t i = 0; i < graph.edge_types.size(); ++i) {
    const auto& type = graph.edge_types[(seed + i) % graph.edge_types.size()];
    if (type.reverse && !graph.heterogeneous) continue;  // nobody sees it
    if (nodes[type.src] > 0 && nodes[type.dst] > 0) return &type;
  }
  return nullptr;
}

// Edges that are there, and pairs that may not be.
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

class Fixture final : public KindFixture {
 public:
  absl::string_view kind() const override { return "link"; }

  KindCase MakeCase(uint64_t seed) const override {
    RandomCase random;
    const MemoryGraphSpec::EdgeType* type = nullptr;
    for (uint64_t next = seed; type == nullptr; next += 1'000'003) {
      random = seed % 3 == 0 ? MakeDirectedCase(next) : MakeRandomCase(next);
      type = Supervised(random.graph, seed);
    }
    BatchCase& batch = random.batch;
    batch.links = RandomLinks(random, *type, seed);
    batch.inputs.clear();
    SpecOptions& options = batch.options;
    options.input_type.clear();
    options.subgraph = SubgraphOptions();
    if (options.draws.input_time == InputTimeMode::kOwn) {
      options.draws.input_time = InputTimeMode::kGiven;
      for (size_t i = 0; i < batch.links.size(); ++i) {
        batch.input_time.push_back(static_cast<int64_t>(i * 3 % 11));
      }
    }
    NegativeSampling negatives;
    negatives.mode = static_cast<NegativeMode>(seed % 4);
    negatives.given =
        negatives.mode >= NegativeMode::kTriplet && seed / 4 % 3 == 1;
    const double amounts[] = {1, 0.3, 2, 2.5, 5};
    negatives.amount = amounts[seed / 4 % 5];
    if (negatives.mode != NegativeMode::kBinary) {
      negatives.amount = std::ceil(negatives.amount);
    }
    // An error has no digest: batches of its own in negative_search_test.
    if (negatives.given) {
      BringNegatives(NodesOf(random.graph, type->dst),
                     static_cast<uint64_t>(negatives.amount), &batch.links);
    } else if (negatives.mode != NegativeMode::kNone && seed % 3 == 0) {
      negatives.strict = true;
      negatives.on_exhausted = OnExhausted::kAccept;
    }
    if (negatives.mode != NegativeMode::kNone && !negatives.given &&
        options.draws.time == TimeMode::kNode) {
      negatives.on_exhausted = OnExhausted::kAccept;
    }
    if (negatives.mode != NegativeMode::kNone && !negatives.given &&
        !type->edges.empty() && seed / 3 % 3 == 1) {
      negatives.degree_power = std::array{0.75, 1.0, 0.1}[seed / 9 % 3];
    }
    if (negatives.mode != NegativeMode::kTriplet) SetLabels(seed, &batch.links);
    ExcludeMode exclude =
        std::array{ExcludeMode::kNone, ExcludeMode::kSelf, ExcludeMode::kPair,
                   ExcludeMode::kReverseId}[seed / 7 % 4];
    // Ids here are no reverses' ids xor 1: looked for at the links' sources,
    // where edges that are not these end, and at the destinations of out-edges.
    if (exclude == ExcludeMode::kReverseId &&
        (type->src != type->dst ||
         options.draws.edge_dir != EdgeDirection::kIn)) {
      exclude = ExcludeMode::kSelf;
    }
    const bool enclosing = seed % 8 == 4 && random.graph.node_types.size() == 1;
    if (enclosing) {
      options.draws = {.disjoint = true};
      options.subgraph = {SubgraphType::kInduced, 1'000'000};
      batch.input_time.clear();
      exclude = ExcludeMode::kNone;
    }
    if (!NeedsEdgeIds(exclude)) batch.links.edge_id.clear();
    options.links = LinkInputs{random.graph.heterogeneous ? type->name() : "",
                               batch.links.label_type};

    KindCase made{random.graph, batch, nullptr, Describe(random)};
    made.batch.build_spec = [negatives, exclude, enclosing](
                                const SpecGraph& graph,
                                const SpecOptions& asked) {
      return BuildLinkSpec(graph, asked, negatives, exclude, enclosing);
    };
    const auto place =
        static_cast<size_t>(type - random.graph.edge_types.data());
    made.defined = [graph = made.graph, options, place, negatives, exclude,
                    enclosing](const BatchRequest& request) {
      return DefinedLinkDigest(graph, graph.edge_types[place], options,
                               negatives, exclude, enclosing, request);
    };
    absl::StrAppend(&made.description, "links of ", type->name(), ", mode ",
                    static_cast<int>(negatives.mode), ", amount ",
                    negatives.amount, negatives.given ? ", given" : "",
                    ", degrees to the power ", negatives.degree_power,
                    negatives.strict ? ", strict" : "",
                    enclosing ? ", enclosing\n" : "\n");
    return made;
  }
};

}  // namespace

const KindFixture& LinkFixture() {
  static const Fixture fixture;
  return fixture;
}

}  // namespace tributary
