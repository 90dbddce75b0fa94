#include "trainer_client/torch/ddp/ddp.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/ddp/peer_loss.h"

namespace tributary {
namespace {

// Python's defaults: a small first bucket, so that sending starts early.
constexpr int64_t kFirstBucketBytes = int64_t{1} << 20;
constexpr int64_t kBucketBytes = int64_t{25} << 20;

std::shared_ptr<c10d::Reducer> MakeReducer(
    const std::vector<at::Tensor>& parameters, c10d::ProcessGroup* group) {
  const std::vector<bool> dense(parameters.size(), false);
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(
      parameters, {kFirstBucketBytes, kBucketBytes}, dense));
  // The last layer's gradients are ready first.
  std::reverse(buckets.begin(), buckets.end());
  return std::make_shared<c10d::Reducer>(
      parameters, std::move(buckets),
      c10::intrusive_ptr<c10d::ProcessGroup>::reclaim_copy(group), dense,
      kBucketBytes, /*find_unused_parameters=*/false,
      /*gradient_as_bucket_view=*/true,
      std::unordered_map<size_t, std::string>(), kFirstBucketBytes,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<int64_t>());
}

// Returns 0 with a gradient of zeros for `p`, even if p is not finite: the sum
// of no elements.
at::Tensor ZeroOf(const at::Tensor& p) {
  return p.flatten().slice(0, 0, 0).sum();
}

// Returns the nodes of the backward pass of `loss`.
std::unordered_set<const torch::autograd::Node*> NodesOf(
    const at::Tensor& loss) {
  std::unordered_set<const torch::autograd::Node*> seen;
  std::vector<const torch::autograd::Node*> next{loss.grad_fn().get()};
  while (!next.empty()) {
    const torch::autograd::Node* node = next.back();
    next.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      next.push_back(edge.function.get());
    }
  }
  return seen;
}

// Returns the same loss, on which every parameter has an influence of zero at
// least: the reducer waits for a gradient of each.
at::Tensor WithAllParameters(at::Tensor loss,
                             const std::vector<at::Tensor>& parameters) {
  const auto nodes = NodesOf(loss);
  for (const at::Tensor& p : parameters) {
    const auto accumulator = torch::autograd::impl::grad_accumulator(p);
    if (nodes.count(accumulator.get()) == 0) loss = loss + ZeroOf(p);
  }
  return loss;
}

// Runs `computed` at the end of the backward pass of `loss`, before the
// reducer's own callback there, which waits for the other ranks: callbacks run
// in the order in which they were added, and the loss's gradient comes first.
void CallOnceComputed(const at::Tensor& loss, std::function<void()> computed) {
  loss.register_hook([computed = std::move(computed)](const at::Tensor&) {
    torch::autograd::Engine::get_default_engine().queue_callback(computed);
  });
}

}  // namespace

struct DistributedDataParallel::Reduction {
  std::shared_ptr<c10d::Reducer> reducer;
  std::shared_ptr<c10d::Logger> logger;  // used by the reducer
  // By parameter: its gradient's place in a bucket; undefined at first.
  std::vector<at::Tensor> in_buckets;
};

DistributedDataParallel::DistributedDataParallel(
    std::vector<at::Tensor> parameters, std::unique_ptr<Reduction> reduction)
    : parameters_(std::move(parameters)), reduction_(std::move(reduction)) {}

DistributedDataParallel::~DistributedDataParallel() = default;

absl::StatusOr<std::unique_ptr<DistributedDataParallel>>
DistributedDataParallel::Create(std::vector<at::Tensor> parameters,
                                ProcessGroup* group) {
  RETURN_IF_ERROR(group->Broadcast(parameters));
  std::unique_ptr<Reduction> reduction;
  if (group->world() > 1) {
    reduction = std::make_unique<Reduction>();
    reduction->in_buckets.resize(parameters.size());
    RETURN_IF_ERROR(CatchTorch("DDP", [&] {
      reduction->reducer = MakeReducer(parameters, group->c10d());
      reduction->logger = std::make_shared<c10d::Logger>(reduction->reducer);
      reduction->reducer->set_logger(reduction->logger);
      return absl::OkStatus();
    }));
  }
  return std::unique_ptr<DistributedDataParallel>(
      new DistributedDataParallel(std::move(parameters), std::move(reduction)));
}

absl::Status DistributedDataParallel::Backward(const at::Tensor& loss,
                                               std::function<void()> computed) {
  return CatchCollective("backward", [&] {
    const at::Tensor of_all = WithAllParameters(loss, parameters_);
    if (reduction_) {
      copied_bytes_ += BytesOutsideBuckets();
      c10d::Reducer& reducer = *reduction_->reducer;
      reducer.prepare_for_forward();
      reducer.prepare_for_backward({});
      if (computed) CallOnceComputed(of_all, computed);
    }
    of_all.backward();
    if (reduction_) LetGradientsBeCleared();
    if (!reduction_ && computed) computed();
    return absl::OkStatus();
  });
}

// Replaces each gradient, which is a view of a bucket, by a tensor of the same
// memory that is no view for autograd: torch's zero_grad() of optimizers and
// modules calls detach_(), which refuses views. The reducer compares memory
// alone, so it finds such a gradient in its bucket.
void DistributedDataParallel::LetGradientsBeCleared() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& grad = parameters_[i].mutable_grad();
    grad = grad.detach();
    reduction_->in_buckets[i] = grad;
  }
}

uint64_t DistributedDataParallel::BytesOutsideBuckets() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& grad = parameters_[i].grad();
    const at::Tensor& in_bucket = reduction_->in_buckets[i];
    const bool attached =
        grad.defined() && in_bucket.defined() && grad.is_alias_of(in_bucket);
    if (!attached) bytes += parameters_[i].nbytes();
  }
  return bytes;
}

absl::Status DistributedDataParallel::Accumulate(const at::Tensor& loss) {
  return CatchTorch("backward", [&] {
    // The reducer ignores gradients until it is prepared for them.
    if (loss.requires_grad()) loss.backward();
    return absl::OkStatus();
  });
}

absl::Status DistributedDataParallel::BackwardOfNothing(
    std::function<void()> computed) {
  at::Tensor zero;
  RETURN_IF_ERROR(CatchTorch("backward of nothing", [&] {
    if (!parameters_.empty()) zero = ZeroOf(parameters_[0]);
    return absl::OkStatus();
  }));
  return zero.defined() ? Backward(zero, std::move(computed))
                        : absl::OkStatus();
}

}  // namespace tributary
