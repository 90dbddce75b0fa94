// Gives the nodes of one type in one batch their local numbers.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_LOCAL_NUMBERING_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_LOCAL_NUMBERING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "sampler_server/engine/ids/number_table.h"

namespace tributary {

// Numbers ids 0, 1, 2, ... by first occurrence. Not thread-safe.
class LocalNumbering {
 public:
  // Ids are below `num_nodes`.
  explicit LocalNumbering(uint64_t num_nodes) : num_nodes_(num_nodes) {}

  // local[i] becomes the number of ids[i], a new one when it is new. At most
  // 2^31 numbers: the caller checks size() + ids.size() before. False when
  // bytes() would have to exceed `most_bytes`: some ids have numbers then. That
  // never happens with 12 bytes for each number that there will be, and 8 for
  // each of size() + ids.size() and each of size(), and 32 KiB.
  bool Number(absl::Span<const uint64_t> ids, uint32_t* local,
              size_t most_bytes = std::numeric_limits<size_t>::max());

  // How many of `ids` have no number yet, each counted once. Puts them in
  // another order; needs no table.
  size_t CountNew(absl::Span<uint64_t> ids) const;

  // The ids by number.
  const std::vector<uint64_t>& ids() const { return ids_; }
  size_t size() const { return ids_.size(); }
  // Memory held by table and ids.
  size_t bytes() const {
    return table_.bytes() + ids_.capacity() * sizeof(uint64_t);
  }
  // Forgets all, and keeps its memory for the next batch.
  void Reset();
  // Lets go of the table; ids() stay. Number() makes it anew.
  void DropTable() { table_ = NumberTable(); }
  // Lets go of all but ids(), to the byte. Peak: ids() twice.
  void ShrinkToIds();
  // Lets go of ids(), and of the numbers with them.
  void DropIds();
  // Takes each id modulo `modulus`: ids() of trees become those of nodes, and
  // there is no numbering any more.
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
