#include <set>

#include "absl/strings/str_cat.h"
#include "tests/statistics/draw_source.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;

// Draws by definition, with one fault.
class FaultyDraws final : public DrawSource {
 public:
  FaultyDraws(const DrawShape& shape, Fault fault)
      : DrawSource(shape), fault_(fault) {}

  BatchDraws Batch(uint64_t random_seed, uint64_t epoch,
                   uint64_t batch) override {
    BatchDraws draws(shape().edge_types);
    for (uint32_t type = 0; type < shape().edge_types; ++type) {
      for (uint32_t hop = 0; hop < shape().hops; ++hop) {
        const PhiloxKey key = Key({.random_seed = random_seed,
                                   .epoch = epoch,
                                   .batch = batch,
                                   .hop = hop,
                                   .name = NameOf(type)});
        auto& by_root = draws[type].emplace_back();
        const uint32_t first = FirstNumber(hop);
        for (uint32_t r = 0; r < shape().roots; ++r) {
          by_root.push_back(Draw(shape().disjoint
                                     ? WordsFor(key, 0, r)
                                     : WordsFor(key, first + r, 0)));
        }
      }
    }
    return draws;
  }

 private:
  std::string NameOf(uint32_t type) const {
    if (shape().edge_types == 1) return "node,to,node";
    return absl::StrCat("node,to", type, ",node");
  }

  // Local numbers of the expanded nodes: the chain's second hop expands the
  // nodes that the first found.
  uint32_t FirstNumber(uint32_t hop) const {
    if (fault_ == Fault::kNumberWithinHop) return 0;
    return shape().chain && hop == 1 ? shape().roots : 0;
  }

  PhiloxKey Key(DefinedKeyParts parts) const {
    if (fault_ == Fault::kSeedNotInKey) parts.random_seed = 0;
    if (fault_ == Fault::kEpochNotInKey) parts.epoch = 0;
    if (fault_ == Fault::kBatchNotInKey) parts.batch = 0;
    if (fault_ == Fault::kHopNotInKey) parts.hop = 0;
    if (fault_ == Fault::kNumberWithinHop) parts.hop = 0;
    if (fault_ == Fault::kTypeNotInKey) parts.name.clear();
    return DefinedKey(parts);
  }

  Words WordsFor(PhiloxKey key, uint32_t number, uint32_t tree) const {
    if (fault_ == Fault::kNumberHalved) number /= 2;
    if (fault_ == Fault::kTreeNotInCounter) tree = 0;
    const Words words = DefinedWords(key, number, tree);
    switch (fault_) {
      case Fault::kSameWordTwice:
        return [words](uint32_t j) { return words(j / 2); };
      case Fault::kSixteenBits:  // the words that hold the high bits
        return [words](uint32_t j) {
          return j % 2 == 0 ? 0 : words(j) & 0xFFFF0000;
        };
      default:
        return words;  // NOLINT(performance-no-automatic-move)
    }
  }

  Positions Draw(const Words& words) const {
    switch (fault_) {
      case Fault::kModuloOfFiveBits:
        return Floyd([&](uint32_t i, uint64_t n) { return words(i) % 32 % n; },
                     /*next_free=*/false);
      case Fault::kFloydTakesNext:
        return Floyd(Below(words), /*next_free=*/true);
      case Fault::kRunOfNeighbors:
        return Run(words);
      case Fault::kDropsRepeats:
        return DefinedDraw(words, shape().degree, shape().fanout, false);
      default:
        return DefinedDraw(words, shape().degree, shape().fanout,
                           shape().replace);
    }
  }

  using BelowFunction = std::function<uint64_t(uint32_t, uint64_t)>;
  BelowFunction Below(const Words& words) const {
    return [words, this](uint32_t i, uint64_t n) {
      return DefinedBelow(words, i, n, shape().degree > 65536);
    };
  }

  Positions Floyd(const BelowFunction& below, bool next_free) const {
    std::set<uint64_t> taken;
    const auto k = static_cast<uint32_t>(shape().fanout);
    for (uint32_t i = 0; i < k; ++i) {
      const uint64_t t = shape().degree - k + i;
      uint64_t x = below(i, t + 1);
      if (taken.count(x) > 0 && !next_free) x = t;
      while (taken.count(x) > 0) x = (x + 1) % (t + 1);
      taken.insert(x);
    }
    return {taken.begin(), taken.end()};
  }

  Positions Run(const Words& words) const {
    const uint64_t d = shape().degree;
    const uint64_t start = DefinedBelow(words, 0, d, d > 65536);
    std::set<uint64_t> taken;
    for (int32_t i = 0; i < shape().fanout; ++i) taken.insert((start + i) % d);
    return {taken.begin(), taken.end()};
  }

  const Fault fault_;
};

}  // namespace

std::unique_ptr<DrawSource> WithFault(const DrawShape& shape, Fault fault) {
  return std::make_unique<FaultyDraws>(shape, fault);
}

}  // namespace tributary
