// Links of typed graphs, and the true answers that a filtered ranking leaves
// out. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_KNOWN_ANSWERS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_KNOWN_ANSWERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// Links by columns; ends are original ids.
struct TypedLinks {
  std::vector<uint32_t> relation;  // index into TypeTable::relations
  std::vector<int64_t> source;
  std::vector<int64_t> destination;

  size_t size() const { return relation.size(); }
  void Add(uint32_t of_relation, int64_t from, int64_t to) {
    relation.push_back(of_relation);
    source.push_back(from);
    destination.push_back(to);
  }
};

// The end of a link that is asked for when the other one is given.
enum class LinkEnd { kSource, kDestination };

// All nodes that complete a given end of a relation to a true link: for (h, r,
// ?) the destinations t of the links (h, r, t). Takes 32 bytes for each link.
class KnownAnswers {
 public:
  // Of all links of `lists`; a link may be in several of them.
  explicit KnownAnswers(absl::Span<const TypedLinks* const> lists);

  // Returns the answers, ascending, each once; none for an end of no link.
  absl::Span<const int64_t> Of(uint32_t relation, LinkEnd asked,
                               int64_t given) const;

 private:
  struct Answer {
    uint32_t relation;
    int64_t given;
    int64_t answer;
    friend auto operator<=>(const Answer&, const Answer&) = default;
  };
  // The answers of one asked end: those of keys[k] are [begin[k], begin[k + 1])
  // of `answers`. Keys ascend.
  struct Index {
    struct Key {
      uint32_t relation;
      int64_t given;
      friend auto operator<=>(const Key&, const Key&) = default;
    };
    std::vector<Key> keys;
    std::vector<size_t> begin;  // one more than keys
    std::vector<int64_t> answers;
  };

  static Index IndexOf(std::vector<Answer> answers);

  std::array<Index, 2> by_end_;  // by LinkEnd
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_KNOWN_ANSWERS_H_
