// Tensors whose rows live on the servers: DGL's DistTensor.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_DIST_TENSOR_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_DIST_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/tensor/dtype.h"
#include "trainer_client/tensors/dist_context.h"

namespace tributary {

// The values of rows that were never written: a function of (random_seed, the
// tensor's name, row, column), whatever the number of servers. A closed set,
// because servers run no code of clients.
struct InitialValues {
  enum class Kind { kZeros, kOnes, kUniform, kNormal, kXavierUniform };
  Kind kind = Kind::kZeros;
  double low = 0;  // uniform: the lower end; normal: the mean; xavier: the gain
  double high = 0;  // uniform: the upper end; normal: the standard deviation
  uint64_t random_seed = 0;
};

struct DistTensorOptions {
  std::string name;      // 1 to 300 bytes of UTF-8
  int64_t num_rows = 0;  // 1 to 2^48; by a policy: as many as its type has
  int64_t dim = 0;       // 0: one value per row; a row is at most 1 MiB
  DType dtype = DType::kFloat32;
  InitialValues initial;
  // The nodes or edges that the rows belong to: "node:TYPE", "edge:SRC,REL,DST"
  // (DGL's partition policy); empty: none, with any number of rows.
  std::string policy;
  // Whether it stays on the servers after the run, until `tributary tensors
  // drop`; others end with the attempt.
  bool persistent = false;
};

// The optimizers that run on the rows' servers.
enum class SparseOptimizerKind { kSgd, kAdagrad, kAdam };

// The hyperparameters of one step; see sampler_server/tensors for the formulas.
struct SparseStepOptions {
  double learning_rate = 0.01;
  double eps = 1e-10;
  double beta1 = 0.9;    // Adam
  double beta2 = 0.999;  // Adam
  double scale = 1;      // factor of the summed gradient
};

// Rows of the next batch, on their way. Destroying it ends the wait.
class RowPrefetch {
 public:
  virtual ~RowPrefetch() = default;
};

// One tensor of the group. A name is within the job and the graph's content.
// Reads and writes of one rank are in order: a read sees all earlier writes of
// this rank, and of other ranks those that were answered before it began. A row
// is read and written whole. Ids out of range are OUT_OF_RANGE and change
// nothing. Errors when a server that holds rows has died name it
// (UNAVAILABLE); the attempt is over then. Thread-safe.
class DistTensor {
 public:
  // Creates the tensor, or finds the one of that name. A collective.
  // ALREADY_EXISTS if it has another shape, dtype, initial value or policy;
  // INVALID_ARGUMENT if ranks ask for different ones, or for a field out of
  // range; RESOURCE_EXHAUSTED if it does not fit the servers'
  // --tensor-memory.
  static absl::StatusOr<std::unique_ptr<DistTensor>> Create(
      DistContext& context, const DistTensorOptions& options);
  virtual ~DistTensor() = default;

  virtual const DistTensorOptions& options() const = 0;
  const std::string& name() const { return options().name; }
  size_t width() const {
    return options().dim == 0 ? 1 : static_cast<size_t>(options().dim);
  }
  size_t row_bytes() const { return width() * DTypeSize(options().dtype); }

  // Reads rows [rows.size(), dim] into `out` (rows.size() * row_bytes()). After
  // rounds of gradients were closed, waits until they are applied.
  virtual absl::Status Read(absl::Span<const int64_t> rows,
                            absl::Span<uint8_t> out) = 0;
  // Begins to read rows that Read(rows, out, prefetch) will ask for. Rows that
  // change in between are read again, so no value depends on it.
  virtual std::unique_ptr<RowPrefetch> Prefetch(
      absl::Span<const int64_t> rows) = 0;
  // As Read. `prefetch` may be of other rows, or null: then nothing is saved.
  virtual absl::Status Read(absl::Span<const int64_t> rows,
                            absl::Span<uint8_t> out,
                            std::unique_ptr<RowPrefetch> prefetch) = 0;

  // Sets rows; of a row that comes twice, the last value wins.
  virtual absl::Status Set(absl::Span<const int64_t> rows,
                           absl::Span<const uint8_t> values) = 0;
  // Adds to rows; a row that comes twice is added twice. Integers wrap around;
  // bool is refused.
  virtual absl::Status Add(absl::Span<const int64_t> rows,
                           absl::Span<const uint8_t> values) = 0;

  // Collectives.

  // Adds an optimizer's state to a float32 tensor; ALREADY_EXISTS if it has
  // another optimizer's.
  virtual absl::Status AttachOptimizer(SparseOptimizerKind kind) = 0;
  // Sets all values to those of a tensor of the same shape and dtype.
  virtual absl::Status CopyFrom(DistTensor& other) = 0;
  // Ends the tensor on the servers; later calls are NOT_FOUND.
  virtual absl::Status Drop() = 0;
};

// The gradients of a run, in rounds. A round ends when every rank has closed
// it; the servers then sum the gradients of each row, ascending by place, and
// step once. So the result is a function of the gradients, however messages
// arrive. One thread.
class GradientRounds {
 public:
  virtual ~GradientRounds() = default;
  // Stages gradients [rows.size(), dim] of this rank's batch at `place` of the
  // running round; ranks' and batches' places are distinct. `rows` are distinct
  // and ascending, `step` is equal at all ranks. The tensor has an optimizer.
  // Copies its arguments; sends in the background.
  virtual absl::Status Push(DistTensor& tensor, uint32_t place,
                            absl::Span<const int64_t> rows,
                            absl::Span<const float> gradients,
                            const SparseStepOptions& step) = 0;
  // Closes the round for this rank, also without a push, and waits until the
  // servers have what it pushed; not for other ranks. Reads that come later
  // wait for the whole round.
  virtual absl::Status Close() = 0;
  // Returns the number of rounds closed; counts on from a snapshot's.
  virtual uint64_t closed() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_DIST_TENSOR_H_
