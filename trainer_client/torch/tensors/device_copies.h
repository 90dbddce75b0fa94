// Copies of batches to a device, under way while the caller goes on.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_DEVICE_COPIES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_DEVICE_COPIES_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/tensors/tensors.h"

namespace tributary {

// What copies need of a device. Methods throw what LibTorch throws.
class CopyStream {
 public:
  // Something that the device comes to after all that it was told before.
  class Event {
   public:
    virtual ~Event() = default;
    virtual bool Done() = 0;
    virtual void Wait() = 0;
  };
  virtual ~CopyStream() = default;
  // Starts the copy; what the caller tells the device later comes after it.
  virtual at::Tensor Copy(const at::Tensor& host) = 0;
  virtual std::unique_ptr<Event> Record() = 0;
};

// LibTorch's: the device's current stream of the calling thread.
std::unique_ptr<CopyStream> CurrentStreamOf(const c10::Device& device);

// From page-locked memory (pin_memory) a copy reads its source after the call
// that started it has returned. The source of a batch is a slot of the receive
// ring: if that were granted again, the device would get another batch's bytes.
// So what is copied from is held, and with it the batch's lease, until an event
// behind its copies is done. On a CPU nothing is copied or held.
//
// Belongs to one thread. After a device's event has failed nothing proves that
// it has let go of a slot: those are held until the object ends, and every
// later call fails with that error.
class DeviceCopies {
 public:
  // Batches under way at most: Start waits for the oldest beyond.
  static constexpr size_t kMost = 4;

  explicit DeviceCopies(const c10::Device& device);
  // Of another stream: not a CPU's.
  explicit DeviceCopies(std::unique_ptr<CopyStream> stream);
  // Waits for all that is under way.
  ~DeviceCopies();

  // The tensors on the device, for what the caller tells its stream next;
  // undefined ones stay so. The caller may drop `host`. INTERNAL: what the
  // device said.
  absl::StatusOr<std::vector<at::Tensor>> Start(std::vector<at::Tensor> host);
  absl::StatusOr<TorchBatch> Start(TorchBatch batch);

  // Lets go of what has been copied. Start does, too.
  absl::Status Poll();

  size_t under_way() const { return flights_.size(); }

 private:
  struct Flight {
    std::vector<at::Tensor> host;
    std::unique_ptr<CopyStream::Event> event;  // null: the device has failed
  };

  absl::Status MakeRoom();
  // Remembers the device's first failure.
  absl::Status Failed(absl::Status why);

  const std::unique_ptr<CopyStream> stream_;  // null: a CPU
  std::deque<Flight> flights_;                // oldest first
  absl::Status failure_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_DEVICE_COPIES_H_
