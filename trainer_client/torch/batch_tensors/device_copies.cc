#include "trainer_client/torch/batch_tensors/device_copies.h"

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <iterator>
#include <optional>
#include <utility>

#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"

namespace tributary {
namespace {

using c10::impl::VirtualGuardImpl;

c10::Stream CurrentStream(const c10::Device& device) {
  return VirtualGuardImpl(device.type()).getStream(device);
}

class TorchEvent final : public CopyStream::Event {
 public:
  explicit TorchEvent(const c10::Stream& stream)
      : event_(stream.device_type()), device_(stream.device()) {
    event_.record(stream);
  }
  bool Done() override { return event_.query(); }
  void Wait() override { event_.synchronize(); }
  void Order() override { event_.block(CurrentStream(device_)); }

 private:
  c10::Event event_;
  const c10::Device device_;
};

class TorchStream final : public CopyStream {
 public:
  explicit TorchStream(const c10::Device& device) : device_(device) {}
  at::Tensor Copy(const at::Tensor& host) override {
    const c10::Stream current = CurrentStream(device_);
    const c10::StreamGuard guard(Stream());
    at::Tensor copy = host.to(device_, /*non_blocking=*/true);
    copy.record_stream(current);
    return copy;
  }
  std::unique_ptr<Event> Record() override {
    return std::make_unique<TorchEvent>(Stream());
  }

 private:
  // Made when it is first used, where errors are expected.
  const c10::Stream& Stream() {
    if (!stream_) {
      stream_ =
          VirtualGuardImpl(device_.type()).getStreamFromGlobalPool(device_);
    }
    return *stream_;
  }

  const c10::Device device_;
  std::optional<c10::Stream> stream_;
};

}  // namespace

std::unique_ptr<CopyStream> NewCopyStream(const c10::Device& device) {
  return std::make_unique<TorchStream>(device);
}

DeviceCopies::DeviceCopies(const c10::Device& device)
    : DeviceCopies(device.is_cpu() ? nullptr : NewCopyStream(device)) {}

DeviceCopies::DeviceCopies(std::unique_ptr<CopyStream> stream)
    : stream_(std::move(stream)) {}

DeviceCopies::~DeviceCopies() {
  for (Flight& flight : flights_) {
    if (flight.event == nullptr) continue;
    // A device that fails here has stopped, so it reads no memory.
    CatchTorch("copies", [&] {
      flight.event->Wait();
      return absl::OkStatus();
    }).IgnoreError();
  }
}

absl::StatusOr<std::vector<at::Tensor>> DeviceCopies::Start(
    std::vector<at::Tensor> host) {
  if (stream_ == nullptr) return host;
  RETURN_IF_ERROR(MakeRoom());
  std::vector<at::Tensor> moved(host.size());
  const absl::Status copied = CatchTorch("copy to the device", [&] {
    for (size_t i = 0; i < host.size(); ++i) {
      if (host[i].defined()) moved[i] = stream_->Copy(host[i]);
    }
    return absl::OkStatus();
  });
  // Held also after a failed copy: the copies before it are in flight.
  Flight& flight = flights_.emplace_back(Flight{std::move(host), nullptr});
  const absl::Status recorded = CatchTorch("event behind copies", [&] {
    flight.event = stream_->Record();
    flight.event->Order();
    return absl::OkStatus();
  });
  if (!recorded.ok()) return Failed(copied.ok() ? recorded : copied);
  RETURN_IF_ERROR(copied);
  return moved;
}

absl::StatusOr<TorchBatch> DeviceCopies::Start(TorchBatch batch) {
  std::vector<at::Tensor> host;
  for (const at::Tensor* tensor : batch.tensors()) host.push_back(*tensor);
  ASSIGN_OR_RETURN(std::vector<at::Tensor> moved, Start(std::move(host)));
  size_t i = 0;
  for (at::Tensor* tensor : batch.tensors()) *tensor = std::move(moved[i++]);
  return batch;
}

absl::Status DeviceCopies::Poll() {
  RETURN_IF_ERROR(failure_);
  return Failed(CatchTorch("copies", [&] {
    for (auto it = flights_.begin(); it != flights_.end();) {
      it = it->event->Done() ? flights_.erase(it) : std::next(it);
    }
    return absl::OkStatus();
  }));
}

absl::Status DeviceCopies::MakeRoom() {
  RETURN_IF_ERROR(Poll());
  while (flights_.size() >= kMost) {
    RETURN_IF_ERROR(Failed(CatchTorch("copies", [&] {
      flights_.front().event->Wait();
      return absl::OkStatus();
    })));
    flights_.pop_front();
  }
  return absl::OkStatus();
}

absl::Status DeviceCopies::Failed(absl::Status why) {
  failure_.Update(why);
  return why;
}

}  // namespace tributary
