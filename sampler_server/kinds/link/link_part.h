// A batch's links of one supervision type.
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

// They lie together among the batch's inputs. Types of which the batch has no
// link have a part, too.
struct LinkPart {
  // Of a link or negative, beside what the state holds: ids and numbers of its
  // ends, and a piece's original ids.
  static constexpr uint64_t kBytesPerPair = 40;

  uint64_t bytes() const { return (num_links + num_negatives) * kBytesPerPair; }
  // What the batch has for each of its inputs, or as many of them for each.
  template <typename T>
  absl::Span<const T> Of(const std::vector<T>& values,
                         uint64_t each = 1) const {
    return absl::MakeConstSpan(values).subspan(first * each, num_links * each);
  }

  const SupervisionType* type = nullptr;
  uint64_t first_number = 0;  // in the list of inputs, of the type's own list
  uint64_t first = 0;         // among the batch's inputs: the first link's tree
  uint64_t num_links = 0, num_negatives = 0;
  uint64_t exhausted = 0;  // negatives that are not valid
  // Internal ids and local numbers: of the links' ends, then of the negatives'
  // that were drawn.
  std::vector<uint64_t> sources, destinations;
  std::vector<uint32_t> source_numbers, destination_numbers;
};

// A part for each type of the plan. INVALID_ARGUMENT where the inputs do not
// come type by type.
absl::StatusOr<std::vector<LinkPart>> PartsOf(const StepContext& context);

// Finds the links' ends, and makes room for the negatives'. INVALID_ARGUMENT
// for an end that is no node.
absl::Status ResolveLinks(const StepContext& context, LinkPart* part);

// Numbers sources, destinations, negatives' sources and their destinations; of
// a disjoint batch in each link's tree. `parts_bytes`: of all parts. False when
// working memory does not suffice.
bool NumberStarts(const StepContext& context, uint64_t parts_bytes,
                  LinkPart* part);

// Leaves the parts' links, as the plan wants it, out of all hops.
absl::Status ExcludeLinks(const StepContext& context,
                          absl::Span<const LinkPart> parts);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PART_H_
