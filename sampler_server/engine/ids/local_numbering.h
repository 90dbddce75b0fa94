// Assigns local numbers to the nodes of one type in one batch.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_LOCAL_NUMBERING_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_LOCAL_NUMBERING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "sampler_server/engine/ids/number_table.h"

namespace tributary {

// Numbers ids 0, 1, 2, ... by first occurrence, and keeps the ids by number.
// Its memory is bounded by the caller, call by call. Not thread-safe.
class LocalNumbering {
 public:
  // Requires that all ids are below `num_nodes`.
  explicit LocalNumbering(uint64_t num_nodes) : num_nodes_(num_nodes) {}

  // Sets local[i] to the number of ids[i], assigning a new one to a new id.
  // Returns false if bytes() would have to exceed `most_bytes`, or when `stop`
  // says so; some ids have numbers then. That never happens with 12 bytes for
  // each number that there will be, 8 for each of size() + ids.size(), 8 for
  // each of size(), and 32 KiB. Requires size() + ids.size() <= 2^31.
  bool Number(absl::Span<const uint64_t> ids, uint32_t* local,
              size_t most_bytes = std::numeric_limits<size_t>::max(),
              StopCheck* stop = nullptr);

  // Counts the distinct ids of `ids` that have no number. Reorders `ids`; needs
  // no table. Any number when `stop` says so.
  size_t CountNew(absl::Span<uint64_t> ids, StopCheck* stop = nullptr) const;

  // Returns the ids by number.
  const std::vector<uint64_t>& ids() const { return ids_; }
  size_t size() const { return ids_.size(); }
  // Returns the memory held by table and ids.
  size_t bytes() const {
    return table_.bytes() + ids_.capacity() * sizeof(uint64_t);
  }
  // Removes all numbers, keeping the memory for the next batch.
  void Reset();
  // Frees the table and keeps ids(); Number() builds the table again.
  void DropTable() { table_ = NumberTable(); }
  // Frees everything but the bytes of ids(). Holds ids() twice at its peak.
  void ShrinkToIds();
  // Frees ids(), and the numbers with them.
  void DropIds();
  // Replaces each id by id % `modulus`: ids of trees become ids of nodes. Ends
  // the numbering.
  void ReduceIds(uint64_t modulus);

 private:
  bool GrowTable(uint64_t size, size_t most_bytes);
  bool GrowIds(size_t size, size_t most_size, size_t most_bytes);

  const uint64_t num_nodes_;
  NumberTable table_;
  std::vector<uint64_t> ids_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_LOCAL_NUMBERING_H_
