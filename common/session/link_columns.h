// Link inputs, the edges that batches are made for, by column; and how a credit
// carries those of one batch.
#ifndef TRIBUTARY_COMMON_SESSION_LINK_COLUMNS_H_
#define TRIBUTARY_COMMON_SESSION_LINK_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"

namespace tributary {

// The type of the links' labels. The values are those of the specification.
enum class LabelType { kNone = 0, kInt64 = 1, kFloat32 = 2 };

// Returns the bytes of one label.
constexpr size_t LabelBytes(LabelType type) {
  if (type == LabelType::kNone) return 0;
  return type == LabelType::kInt64 ? sizeof(int64_t) : sizeof(float);
}

// A list of links. Columns have size() entries unless they say otherwise.
struct LinkColumns {
  std::vector<int64_t> source;       // original ids
  std::vector<int64_t> destination;  // original ids
  std::vector<int64_t> edge_id;      // -1: the link has none; or empty
  LabelType label_type = LabelType::kNone;
  std::vector<uint8_t> label;  // little-endian values of label_type
  // The user's own negatives: this many destinations for each link.
  uint64_t negatives = 0;
  std::vector<int64_t> negative;  // [size() x negatives], row-major

  size_t size() const { return source.size(); }
  bool empty() const { return source.empty(); }
  void SetLabels(absl::Span<const int64_t> labels);
  void SetLabels(absl::Span<const float> labels);
  // Appends the links of a list that has the same columns.
  void Append(const LinkColumns& more);
  // Returns the links at these indices. Requires each to be below size().
  LinkColumns Take(absl::Span<const uint64_t> numbers) const;
};

// Returns the digest of links and their times, if any, as
// SpecOptions::inputs_sha256 requires it: docs/sampling.md, "Link inputs".
Sha256Digest LinksSha256(const LinkColumns& links,
                         absl::Span<const int64_t> times);

// The payload of a credit for links: the inputs of one batch.
struct LinkCredit {
  std::vector<int64_t> input_number;  // indices into the session's list
  LinkColumns links;                  // one for each input_number
  std::vector<int64_t> time;          // likewise, or empty
};

// Which columns the payloads of a session's credits have.
struct LinkCreditShape {
  bool timed = false;
  bool edge_ids = false;
  LabelType label = LabelType::kNone;
  uint64_t negatives = 0;  // at most kMaxLinksAndNegatives
};
// Returns the bytes of one link in the payload.
constexpr size_t LinkCreditBytes(const LinkCreditShape& shape) {
  return (3 + (shape.timed ? 1 : 0) + (shape.edge_ids ? 1 : 0) +
          shape.negatives) *
             sizeof(int64_t) +
         LabelBytes(shape.label);
}

std::vector<uint8_t> EncodeLinkCredit(const LinkCredit& credit);

// Decodes untrusted bytes. INVALID_ARGUMENT if `payload` is not exactly that of
// `links` inputs.
absl::StatusOr<LinkCredit> DecodeLinkCredit(absl::Span<const uint8_t> payload,
                                            uint64_t links,
                                            const LinkCreditShape& shape);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_LINK_COLUMNS_H_
