// Link inputs: the edges that batches are made for, by column.
#ifndef TRIBUTARY_COMMON_SESSION_LINK_COLUMNS_H_
#define TRIBUTARY_COMMON_SESSION_LINK_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"

namespace tributary {

// The values are those of the specification.
enum class LabelType { kNone = 0, kInt64 = 1, kFloat32 = 2 };

constexpr size_t LabelBytes(LabelType type) {
  if (type == LabelType::kNone) return 0;
  return type == LabelType::kInt64 ? sizeof(int64_t) : sizeof(float);
}

struct LinkColumns {
  std::vector<int64_t> source;       // original ids
  std::vector<int64_t> destination;  // as many
  std::vector<int64_t> edge_id;      // as many, -1: none; or no ids at all
  LabelType label_type = LabelType::kNone;
  std::vector<uint8_t> label;  // as many values, little-endian
  // A user's own negatives: so many destinations for each link, in their order.
  uint64_t negatives = 0;
  std::vector<int64_t> negative;  // [size() x negatives]

  size_t size() const { return source.size(); }
  bool empty() const { return source.empty(); }
  void SetLabels(absl::Span<const int64_t> labels);
  void SetLabels(absl::Span<const float> labels);
  // Adds the links of a list that has the same columns.
  void Append(const LinkColumns& more);
  // Those with these numbers. Requires each to be below size().
  LinkColumns Take(absl::Span<const uint64_t> numbers) const;
};

// As SpecOptions::inputs_sha256 wants it: docs/sampling.md, "Link inputs".
Sha256Digest LinksSha256(const LinkColumns& links,
                         absl::Span<const int64_t> times);

// The payload of a credit for links: the batch's inputs.
struct LinkCredit {
  std::vector<int64_t> input_number;
  LinkColumns links;          // as many
  std::vector<int64_t> time;  // as many, or none
};

// Bytes that one input takes in it.
struct LinkCreditShape {
  bool timed = false;
  bool edge_ids = false;
  LabelType label = LabelType::kNone;
  uint64_t negatives = 0;  // at most kMaxLinksAndNegatives
};
constexpr size_t LinkCreditBytes(const LinkCreditShape& shape) {
  return (3 + (shape.timed ? 1 : 0) + (shape.edge_ids ? 1 : 0) +
          shape.negatives) *
             sizeof(int64_t) +
         LabelBytes(shape.label);
}

std::vector<uint8_t> EncodeLinkCredit(const LinkCredit& credit);

// INVALID_ARGUMENT when `payload` is not exactly that of `links` inputs.
absl::StatusOr<LinkCredit> DecodeLinkCredit(absl::Span<const uint8_t> payload,
                                            uint64_t links,
                                            const LinkCreditShape& shape);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_LINK_COLUMNS_H_
