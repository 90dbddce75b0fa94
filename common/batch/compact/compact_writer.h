// Encodes the edges of a batch (compact_form.h).
#ifndef TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_WRITER_H_
#define TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_WRITER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/batch/compact/compact_form.h"
#include "common/batch/compact/compact_path.h"

namespace tributary {

// Finds how a run's neighbours are encoded. Add them in their order.
class NeighborMeasure {
 public:
  // `first_fresh`: the number of the run's first fresh neighbour.
  explicit NeighborMeasure(uint32_t first_fresh,
                           const CompactPath& path = CompactPaths().back())
      : path_(&path), first_fresh_(first_fresh) {
    cursor_.next = first_fresh;
  }

  void Add(absl::Span<const uint32_t> neighbors);
  // Returns how many are fresh; 0 if it does not pay to mark them.
  // `number_bytes`: of each number that is not.
  uint32_t Fresh(uint32_t edges, uint8_t number_bytes) const;
  uint32_t first_fresh() const { return first_fresh_; }
  // The largest number of all, and of those that are not fresh.
  uint32_t largest() const { return cursor_.largest; }
  uint32_t largest_known() const { return cursor_.largest_known; }

 private:
  const CompactPath* path_;
  uint32_t first_fresh_;
  MeasureCursor cursor_;
};

// A run of which the neighbours' encoding is to be chosen.
struct MeasuredRun {
  CompactRun run;  // without fresh and first_fresh
  NeighborMeasure neighbors;
};
// Returns the form that takes the fewest bytes: numbers as wide as the largest
// one needs, and marks where they pay.
CompactEdgeIndex ChooseForm(absl::Span<const MeasuredRun> runs);

// Writes the block of an edge_index, run by run: BeginRun, then the degrees and
// the neighbours that were measured, each in order, in pieces; EndRun.
class EdgeIndexWriter {
 public:
  // `block`: from where left_out() ends to the end of the tensor. Both outlive
  // the object.
  EdgeIndexWriter(const CompactEdgeIndex& form, absl::Span<uint8_t> block,
                  const CompactPath& path = CompactPaths().back());

  void BeginRun();
  // Appends degrees of the run's `nodes`.
  void AddDegrees(absl::Span<const uint32_t> degrees);
  // Every piece but the last of a run has a multiple of 8.
  void AddNeighbors(absl::Span<const uint32_t> neighbors);
  void EndRun();

 private:
  // At most 31 bits.
  void AppendDegreeBits(uint64_t bits, uint32_t count);

  const CompactPath& path_;
  const CompactRun* run_;  // the next one, or the one that is written
  uint8_t* degrees_;
  uint8_t* marks_;  // of the run
  EncodeCursor neighbors_;
  uint64_t bits_ = 0;  // of degrees, not yet written
  uint32_t num_bits_ = 0;
};

// Writes the block of an e_id.
class EdgeIdWriter {
 public:
  // All ids fit `number_bytes`.
  EdgeIdWriter(uint64_t edges, uint8_t number_bytes, absl::Span<uint8_t> block);

  void Add(absl::Span<const int64_t> ids);

 private:
  const uint8_t number_bytes_;
  uint8_t* numbers_;
  uint8_t* const end_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_COMPACT_COMPACT_WRITER_H_
