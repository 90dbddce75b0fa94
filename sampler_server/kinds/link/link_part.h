// The links of one supervision type in a batch, and their negatives.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PART_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PART_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_plan.h"

namespace tributary {

// The links are contiguous among the batch's inputs. A type without links in
// the batch has a part, too.
struct LinkPart {
  // Working memory of a link or negative beside the state: ids and numbers of
  // its ends, and original ids of the piece that is resolved.
  static constexpr uint64_t kBytesPerPair = 40;

  uint64_t bytes() const { return (num_links + num_negatives) * kBytesPerPair; }
  // Returns this part's values of an array that has `each` values for each of
  // the batch's inputs.
  template <typename T>
  absl::Span<const T> Of(const std::vector<T>& values,
                         uint64_t each = 1) const {
    return absl::MakeConstSpan(values).subspan(first * each, num_links * each);
  }

  const SupervisionType* type = nullptr;
  uint64_t first_number = 0;  // in the input list: the type's first link
  uint64_t first = 0;         // among the batch's inputs: the part's first link
  uint64_t num_links = 0, num_negatives = 0;
  uint64_t exhausted = 0;  // negatives taken without being valid
  // Internal ids and local numbers of the links' ends, then of those of the
  // negatives that are drawn.
  std::vector<uint64_t> sources, destinations;
  std::vector<uint32_t> source_numbers, destination_numbers;
};

// Returns a part for each supervision type of the plan. INVALID_ARGUMENT if the
// inputs are not ordered by type.
absl::StatusOr<std::vector<LinkPart>> PartsOf(const StepContext& context);

// Looks up the internal ids of the links' ends and reserves memory for those of
// the negatives. INVALID_ARGUMENT if an end is not a node.
absl::Status ResolveLinks(const StepContext& context, LinkPart* part);

// The memory that numbering has.
struct NumberingRoom {
  uint64_t parts_bytes = 0;    // the bytes() of all parts
  uint64_t working_bytes = 0;  // StepLimits'
};

// Gives local numbers to sources, destinations, sources of negatives and their
// destinations; in a disjoint batch within each link's tree. Returns false if
// working memory does not suffice.
bool NumberStarts(const StepContext& context, const NumberingRoom& room,
                  LinkPart* part);

// Excludes the parts' links from all hops, as the plan's ExcludeMode says.
absl::Status ExcludeLinks(const StepContext& context,
                          absl::Span<const LinkPart> parts);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PART_H_
