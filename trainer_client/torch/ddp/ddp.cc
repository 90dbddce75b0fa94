#include "trainer_client/torch/ddp/ddp.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/text/status.h"
#include "trainer_client/torch/tensors/catch_torch.h"

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

}  // namespace

struct DistributedDataParallel::Reduction {
  std::shared_ptr<c10d::Reducer> reducer;
  std::shared_ptr<c10d::Logger> logger;  // used by the reducer
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

absl::Status DistributedDataParallel::Backward(const at::Tensor& loss) {
  return CatchTorch("backward", [&] {
    if (reduction_) {
      c10d::Reducer& reducer = *reduction_->reducer;
      reducer.prepare_for_forward();
      reducer.rebuild_buckets();  // once, in the order of readiness
      reducer.prepare_for_backward({});
    }
    loss.backward();
    return absl::OkStatus();
  });
}

absl::Status DistributedDataParallel::BackwardOfNothing() {
  at::Tensor zero;
  RETURN_IF_ERROR(CatchTorch("backward of nothing", [&] {
    for (const at::Tensor& p : parameters_) {
      // The sum of no elements is 0, and has gradient 0 even if p is not
      // finite.
      const at::Tensor none = p.flatten().slice(0, 0, 0).sum();
      zero = zero.defined() ? zero + none : none;
    }
    return absl::OkStatus();
  }));
  return zero.defined() ? Backward(zero) : absl::OkStatus();
}

}  // namespace tributary
