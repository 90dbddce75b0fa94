// The objects behind the handles of the C interface.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_HANDLES_H_
#define TRIBUTARY_TRAINER_CLIENT_C_HANDLES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/tensor_view.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {

// A batch that its handle and its exported tensors share.
struct SharedBatch {
  explicit SharedBatch(BatchLease delivered);

  const BatchLease lease;
  std::vector<Shape> strides;  // of each tensor, in elements
};

// The group of a run, which its handle and those of its rows share.
struct SharedContext {
  SharedContext(std::shared_ptr<SamplingWorkers> source,
                std::unique_ptr<DistContext> opened)
      : workers(std::move(source)), context(std::move(opened)) {}

  // Returns the right to a collective, or to a call of a round, which one
  // thread at a time has. DEADLINE_EXCEEDED after the context's timeout.
  absl::StatusOr<std::unique_lock<std::timed_mutex>> WaitForTurn();

  // In this order: workers outlive what is opened over them.
  const std::shared_ptr<SamplingWorkers> workers;
  const std::unique_ptr<DistContext> context;

 private:
  std::timed_mutex turn_;
};

}  // namespace tributary

struct tributary_source : tributary::ProcessBound {
  explicit tributary_source(std::shared_ptr<tributary::SamplingWorkers> opened)
      : ProcessBound("source"), workers(std::move(opened)) {}

  const std::shared_ptr<tributary::SamplingWorkers> workers;
};

struct tributary_loader : tributary::ProcessBound {
  tributary_loader(std::shared_ptr<tributary::SamplingWorkers> source,
                   std::unique_ptr<tributary::DistLoader> opened)
      : ProcessBound("loader"),
        workers(std::move(source)),
        loader(std::move(opened)) {}

  // In this order: workers outlive their loaders.
  const std::shared_ptr<tributary::SamplingWorkers> workers;
  const std::unique_ptr<tributary::DistLoader> loader;
  std::mutex one_call;  // held by the thread that is in a call
};

struct tributary_batch : tributary::ProcessBound {
  explicit tributary_batch(tributary::BatchLease delivered)
      : ProcessBound("batch"),
        shared(std::make_shared<const tributary::SharedBatch>(
            std::move(delivered))) {}

  const std::shared_ptr<const tributary::SharedBatch> shared;
};

struct tributary_graph : tributary::ProcessBound {
  tributary_graph(std::shared_ptr<tributary::SamplingWorkers> source,
                  std::unique_ptr<tributary::DistGraph> opened)
      : ProcessBound("graph"),
        workers(std::move(source)),
        graph(std::move(opened)) {}

  // In this order: workers outlive what is opened over them.
  const std::shared_ptr<tributary::SamplingWorkers> workers;
  const std::unique_ptr<tributary::DistGraph> graph;
  std::shared_mutex calls;  // shared by the threads that are in a call
};

struct tributary_context : tributary::ProcessBound {
  explicit tributary_context(std::shared_ptr<tributary::SharedContext> opened)
      : ProcessBound("context"), shared(std::move(opened)) {}

  const std::shared_ptr<tributary::SharedContext> shared;
  std::shared_mutex calls;  // shared by the threads that are in a call
};

struct tributary_rows : tributary::ProcessBound {
  tributary_rows(std::shared_ptr<tributary::SharedContext> context,
                 std::unique_ptr<tributary::DistTensor> opened)
      : ProcessBound("handle of rows"),
        shared(std::move(context)),
        tensor(std::move(opened)) {}

  // In this order: the context outlives its tensors.
  const std::shared_ptr<tributary::SharedContext> shared;
  const std::unique_ptr<tributary::DistTensor> tensor;
  std::shared_mutex calls;  // shared by the threads that are in a call
  std::mutex prefetches;    // guards:
  std::unique_ptr<tributary::RowPrefetch> prefetch;
};

struct tributary_arrays : tributary::ProcessBound {
  tributary_arrays() : ProcessBound("set of arrays") {}

  std::vector<tributary::TensorView> tensors;
  std::vector<tributary::Shape> strides;  // of each tensor, in elements
  std::vector<std::shared_ptr<const void>> memory;  // that tensors are views of
};

#endif  // TRIBUTARY_TRAINER_CLIENT_C_HANDLES_H_
