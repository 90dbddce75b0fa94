// The objects behind the handles of the C interface.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_HANDLES_H_
#define TRIBUTARY_TRAINER_CLIENT_C_HANDLES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "common/tensor/tensor_view.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

// A batch that its handle and its exported tensors share.
struct SharedBatch {
  explicit SharedBatch(BatchLease delivered);

  const BatchLease lease;
  std::vector<Shape> strides;  // of each tensor, in elements
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

struct tributary_arrays : tributary::ProcessBound {
  tributary_arrays() : ProcessBound("set of arrays") {}

  std::vector<tributary::TensorView> tensors;
  std::vector<tributary::Shape> strides;  // of each tensor, in elements
  std::vector<std::shared_ptr<const void>> memory;  // that tensors are views of
};

#endif  // TRIBUTARY_TRAINER_CLIENT_C_HANDLES_H_
