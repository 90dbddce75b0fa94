#include "sampler_server/tensors/store_calls.h"

#include <optional>
#include <utility>

namespace tributary::tensor_internal {
namespace {

class OpenCall final : public SteppedCall {
 public:
  OpenCall(CallPtr call, std::shared_ptr<TensorStream> stream,
           v1::OpenAttemptRequest request)
      : SteppedCall(std::move(call)),
        stream_(std::move(stream)),
        request_(std::move(request)) {}

 private:
  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    RETURN_IF_ERROR(call().data.CheckWanted(kMaxDataWaitMs));
    if (!placement_.has_value()) {
      ASSIGN_OR_RETURN(
          options_, call().store().CheckOpen(request_, caller().share_key()));
      ASSIGN_OR_RETURN(placement_, RowPlacementSteps::Begin(options_.members));
    }
    if (!placement_->Step(slice)) return Progress::kMore;
    options_.SetPlacement(placement_->Take(), request_.member());
    auto self = std::static_pointer_cast<OpenCall>(shared_from_this());
    call().store().Open(std::move(options_),
                        [self](const auto& opened) { self->Opened(opened); });
    return Progress::kWaits;
  }

  // Runs where the older attempt is over, or in the step above.
  void Opened(const absl::StatusOr<AttemptPtr>& opened) {
    if (!opened.ok()) return Refuse(opened.status());
    stream_->Use(call().store(), **opened);
    Finish(HeaderAnswer(call().data.call.kind, v1::OpenAttemptReply()));
  }

  void Refuse(const absl::Status& why) {
    if (absl::IsResourceExhausted(why)) {
      call().calls.refusals->Note(CallerRefusals::kAttempt, caller(), why);
    }
    Finish(why);
  }

  const Caller& caller() const { return *call().data.call.caller; }

  const std::shared_ptr<TensorStream> stream_;
  const v1::OpenAttemptRequest request_;
  AttemptOptions options_;
  std::optional<RowPlacementSteps> placement_;
};

class ListCall final : public SteppedCall {
 public:
  ListCall(CallPtr call, std::string job)
      : SteppedCall(std::move(call)), list_(std::move(job)) {}

 private:
  absl::StatusOr<Progress> Step(WorkSlice& slice) override {
    RETURN_IF_ERROR(call().data.CheckWanted(kMaxDataWaitMs));
    if (!call().store().ListSome(list_, slice)) return Progress::kMore;
    return Finish(HeaderAnswer(call().data.call.kind, list_.reply));
  }

  TensorList list_;
};

}  // namespace

std::shared_ptr<SteppedCall> OpenAttempt(CallPtr call,
                                         std::shared_ptr<TensorStream> stream,
                                         v1::OpenAttemptRequest request) {
  return std::make_shared<OpenCall>(std::move(call), std::move(stream),
                                    std::move(request));
}

std::shared_ptr<SteppedCall> ListTensors(CallPtr call, std::string job) {
  return std::make_shared<ListCall>(std::move(call), std::move(job));
}

}  // namespace tributary::tensor_internal
