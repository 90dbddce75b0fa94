// Gradients that wait for the end of their round, and the step that ends it.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_STAGING_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_STAGING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"
#include "common/runtime/work_slice.h"
#include "sampler_server/tensors/round_steps.h"
#include "sampler_server/tensors/tensor_table.h"
#include "sampler_server/tensors/values/sparse_optimizer.h"

namespace tributary {

// The rounds of one attempt on one server. Round r is open from the end of
// round r - 1 until every rank has closed it. Then each row's gradients are
// summed in float32, ascending by (place, rank, part), beginning with the first
// one itself, and the row's optimizer steps once with the sum. So the rows are
// a function of the gradients, however messages arrive.
//
// A part is staged once, whatever comes twice. Each rank may stage an equal
// share of the memory, so none keeps another from closing. A part without
// pushes that comes in its turn leaves nothing behind. Thread-safe.
class RoundStaging {
 public:
  // Rounds are kept as uint32 beside rows.
  static constexpr uint64_t kMaxRound =
      std::numeric_limits<uint32_t>::max() - 1;
  static constexpr uint32_t kMaxParts = 1 << 16;  // of a rank's round

  // What the object keeps for each rank from the start.
  static size_t BytesOfRank() { return sizeof(Rank); }

  enum class Taken {
    kStaged,    // or was staged before
    kAhead,     // the round is not open yet: try again when it is
    kComplete,  // staged, and the round is closed: call ApplyRound
  };

  // Each rank may stage `rank_limit` bytes of a round.
  RoundStaging(uint32_t world, size_t rank_limit)
      : rank_limit_(rank_limit), ranks_(world) {}

  // Returns the bytes that a part takes until its round is applied, and while
  // it is: `payload` bytes with `num_rows` rows in `num_pushes` pushes. None
  // without pushes, if the part is the next one of its rank in the open round.
  size_t BytesOf(const RoundPart& part, size_t payload, size_t num_rows,
                 size_t num_pushes) const;

  // Returns whether the part of that rank, round and number is staged already,
  // or its round applied.
  bool Has(const RoundPart& part) const;
  // INVALID_ARGUMENT beyond the rank's share, which names --tensor-memory; for
  // a part after the one that closes, or a second one that closes; and for a
  // step that differs from the one that another part has for the tensor.
  absl::Status Check(const RoundPart& part) const;
  // Takes the part; kComplete is returned once per round. Errors are those of
  // Check.
  absl::StatusOr<Taken> Stage(RoundPart part);
  // Sums and steps, in steps of its own, until it returns true; then the next
  // round is open. Call it after kComplete, by one thread at a time.
  bool ApplyRound(WorkSlice& slice);

  // Drops what is staged, as the attempt has ended: nothing is staged or
  // applied any more.
  void Clear();

  // Begins after `round`. FAILED_PRECONDITION if a round was pushed already.
  absl::Status SetRound(uint64_t round);

  uint64_t applied() const;
  // Returns the ranks that have not closed the round that is open.
  std::vector<uint32_t> Missing() const;

 private:
  struct Rank {
    uint32_t next = 0;             // all parts below are staged
    std::set<uint32_t> ahead;      // those staged above it
    std::optional<uint32_t> last;  // the part that closes
    size_t bytes = 0;

    bool Has(uint32_t part) const {
      return part < next || ahead.contains(part);
    }
    bool HasAbove(uint32_t part) const {
      return part + 1 < next || (!ahead.empty() && *ahead.rbegin() > part);
    }
    void Add(uint32_t part);
    bool closed() const { return last && next == *last + 1; }
  };

  bool HasLocked(const RoundPart& part) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckLocked(const RoundPart& part) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t rank_limit_;
  mutable Mutex mutex_;
  uint64_t applied_ ABSL_GUARDED_BY(mutex_) = 0;
  bool pushed_ ABSL_GUARDED_BY(mutex_) = false;  // any round
  std::vector<Rank> ranks_ ABSL_GUARDED_BY(mutex_);
  size_t num_closed_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<RoundPart> staged_ ABSL_GUARDED_BY(mutex_);
  std::map<const TensorTable*, OptimizerStep> steps_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<RoundSteps> applying_;  // of ApplyRound
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_STAGING_H_
