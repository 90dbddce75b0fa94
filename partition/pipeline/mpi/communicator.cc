#include "partition/pipeline/mpi/communicator.h"

#include <algorithm>
#include <functional>
#include <string>

namespace tributary {
namespace {

constexpr size_t kMaxMessage = 4096;  // bytes of an error that all ranks get

}  // namespace

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

absl::Status Communicator::Agree(const absl::Status& status) const {
  const int mine = status.ok() ? size_ : rank_;
  int failed = size_;
  MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MIN, comm_);
  if (failed == size_) return absl::OkStatus();
  int64_t head[2] = {0, 0};  // code, bytes of the message
  std::string message;
  if (rank_ == failed) {
    message = std::string(status.message().substr(0, kMaxMessage));
    head[0] = static_cast<int64_t>(status.code());
    head[1] = static_cast<int64_t>(message.size());
  }
  MPI_Bcast(head, 2, MPI_INT64_T, failed, comm_);
  message.resize(static_cast<size_t>(head[1]));
  MPI_Bcast(message.data(), static_cast<int>(head[1]), MPI_CHAR, failed, comm_);
  return absl::Status(static_cast<absl::StatusCode>(head[0]), message);
}

// Counts the ranks with the same name of a machine.
int Communicator::SizeOnMachine() const {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  const auto mine =
      static_cast<int64_t>(std::hash<std::string>()(std::string(name, length)));
  const std::vector<int64_t> all = Collect({mine});
  return static_cast<int>(std::count(all.begin(), all.end(), mine));
}

int64_t Communicator::Sum(int64_t value) const {
  int64_t sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, comm_);
  return sum;
}

int64_t Communicator::Max(int64_t value) const {
  int64_t max = 0;
  MPI_Allreduce(&value, &max, 1, MPI_INT64_T, MPI_MAX, comm_);
  return max;
}

int64_t Communicator::SumBefore(int64_t value) const {
  int64_t sum = 0;
  MPI_Exscan(&value, &sum, 1, MPI_INT64_T, MPI_SUM, comm_);
  return rank_ == 0 ? 0 : sum;  // MPI leaves rank 0's undefined
}

std::vector<int64_t> Communicator::Collect(
    absl::Span<const int64_t> values) const {
  const int mine = static_cast<int>(values.size());
  std::vector<int> counts(size_);
  MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
  std::vector<int> starts(size_);
  int total = 0;
  for (int rank = 0; rank < size_; ++rank) {
    starts[rank] = total;
    total += counts[rank];
  }
  std::vector<int64_t> all(total);
  MPI_Allgatherv(values.data(), mine, MPI_INT64_T, all.data(), counts.data(),
                 starts.data(), MPI_INT64_T, comm_);
  return all;
}

void Communicator::Sum(std::vector<int64_t>& values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                MPI_INT64_T, MPI_SUM, comm_);
}

namespace mpi_internal {

void ExchangeBytes(const Communicator& comm, size_t item,
                   const std::vector<const uint8_t*>& out,
                   const std::vector<int>& counts, std::vector<uint8_t>& in) {
  const int size = comm.size();
  std::vector<int> in_counts(size);
  MPI_Alltoall(counts.data(), 1, MPI_INT, in_counts.data(), 1, MPI_INT,
               comm.comm());
  std::vector<int> starts(size);
  std::vector<int> in_starts(size);
  int sent = 0;
  int received = 0;
  for (int rank = 0; rank < size; ++rank) {
    starts[rank] = sent;
    in_starts[rank] = received;
    sent += counts[rank];
    received += in_counts[rank];
  }
  std::vector<uint8_t> packed(static_cast<size_t>(sent) * item);
  for (int rank = 0; rank < size; ++rank) {
    std::copy_n(out[rank], counts[rank] * item,
                packed.data() + starts[rank] * item);
  }
  in.resize(static_cast<size_t>(received) * item);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(item), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(packed.data(), counts.data(), starts.data(), type, in.data(),
                in_counts.data(), in_starts.data(), type, comm.comm());
  MPI_Type_free(&type);
}

}  // namespace mpi_internal
}  // namespace tributary
