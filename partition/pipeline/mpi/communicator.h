// The processes of one MPI program, and what they agree on.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_COMMUNICATOR_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_COMMUNICATOR_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/text/status.h"

namespace tributary {

// The ranks of an MPI communicator. All methods but rank() and size() are
// collective: every rank must call them, in the same order. A failure of MPI
// itself ends all processes, as MPI's default is. Does not own the
// communicator.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }

  // Returns, at all ranks, OK if all are OK; else the error of the lowest rank
  // that has one.
  absl::Status Agree(const absl::Status& status) const;
  // Returns how many of the ranks are on this rank's machine.
  int SizeOnMachine() const;
  int64_t Sum(int64_t value) const;
  int64_t Max(int64_t value) const;
  // Returns the sum of the values of lower ranks.
  int64_t SumBefore(int64_t value) const;
  // Replaces each value by its sum over all ranks; all ranks have equally many.
  void Sum(std::vector<int64_t>& values) const;
  // Returns all ranks' values, by rank; each rank has any number.
  std::vector<int64_t> Collect(absl::Span<const int64_t> values) const;

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

namespace mpi_internal {
// One round: sends `out[r]` to rank r; returns what came, ordered by sender.
// `item` is the size of a record in bytes.
void ExchangeBytes(const Communicator& comm, size_t item,
                   const std::vector<const uint8_t*>& out,
                   const std::vector<int>& counts, std::vector<uint8_t>& in);
}  // namespace mpi_internal

// Sends records between all ranks, in rounds. In each round a rank's `fill`
// appends a bounded number of records to the outboxes, one for each rank, and
// returns whether it may have more; then `take` gets what others have sent to
// this rank. So memory is bounded by what a round fills in, times the number of
// ranks. After a failure of any rank all return its error. Collective.
template <typename T>
absl::Status Exchange(
    const Communicator& comm,
    absl::FunctionRef<absl::StatusOr<bool>(std::vector<std::vector<T>>&)> fill,
    absl::FunctionRef<absl::Status(absl::Span<const T>)> take) {
  enum State : int64_t { kDone, kMore, kFailed };
  std::vector<std::vector<T>> out(comm.size());
  std::vector<const uint8_t*> bytes(comm.size());
  std::vector<int> counts(comm.size());
  std::vector<uint8_t> in;
  absl::Status status;
  bool more = true;
  for (int64_t all = kMore; all == kMore;) {
    for (std::vector<T>& box : out) box.clear();
    if (more && status.ok()) {
      const absl::StatusOr<bool> filled = fill(out);
      status = filled.status();
      more = filled.ok() && *filled;
    }
    all = comm.Max(!status.ok() ? kFailed : more ? kMore : kDone);
    if (all == kFailed) break;
    for (int rank = 0; rank < comm.size(); ++rank) {
      bytes[rank] = reinterpret_cast<const uint8_t*>(out[rank].data());
      counts[rank] = static_cast<int>(out[rank].size());
    }
    mpi_internal::ExchangeBytes(comm, sizeof(T), bytes, counts, in);
    status = take(absl::MakeConstSpan(reinterpret_cast<const T*>(in.data()),
                                      in.size() / sizeof(T)));
  }
  return comm.Agree(status);
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_COMMUNICATOR_H_
