// Asynchronous copies of batches to a device.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_DEVICE_COPIES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_DEVICE_COPIES_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/batch_tensors/torch_batch.h"

namespace tributary {

// The operations of a device stream that DeviceCopies needs; tests replace
// them. Methods throw what LibTorch throws.
class CopyStream {
 public:
  // A point in the stream, reached after all work enqueued before it.
  class Event {
   public:
    virtual ~Event() = default;
    virtual bool Done() = 0;
    virtual void Wait() = 0;
    // Makes work that the calling thread enqueues from now on to the device's
    // current stream run after this point, without waiting for it here.
    virtual void Order() = 0;
  };
  virtual ~CopyStream() = default;
  // Enqueues a copy. The result's memory is used again only after the work that
  // its last owner has enqueued to the current stream.
  virtual at::Tensor Copy(const at::Tensor& host) = 0;
  // Enqueues an event.
  virtual std::unique_ptr<Event> Record() = 0;
};

// Returns a stream of its own beside the device's current one, so that copies
// run while kernels do: those of the next batch during a step's backward pass.
std::unique_ptr<CopyStream> NewCopyStream(const c10::Device& device);

// Copies batches to a device and keeps each source until its copies are done. A
// copy from page-locked memory (pin_memory) reads its source after the call
// that started it has returned. A batch's source is a slot of the receive ring:
// if it were granted again, the device would copy another batch's bytes. So the
// source tensors, and with them the batch's lease, are held until an event
// behind the copies is done. For a CPU nothing is copied or held.
//
// Used by one thread. After an event of the device has failed, nothing proves
// that the device no longer reads a slot: sources are held until the object is
// destroyed, and every later call returns that error.
class DeviceCopies {
 public:
  // The most batches in flight; Start() waits for the oldest beyond it.
  static constexpr size_t kMost = 4;

  explicit DeviceCopies(const c10::Device& device);
  // Copies by `stream`, which must not be a CPU's.
  explicit DeviceCopies(std::unique_ptr<CopyStream> stream);
  // Waits for all copies in flight.
  ~DeviceCopies();

  // Starts copying the tensors; returns those on the device, which work
  // enqueued to its stream from now on may use. Undefined ones stay undefined.
  // The caller may drop `host`. INTERNAL for a failure of the device.
  absl::StatusOr<std::vector<at::Tensor>> Start(std::vector<at::Tensor> host);
  absl::StatusOr<TorchBatch> Start(TorchBatch batch);

  // Releases sources whose copies are done, as Start() also does.
  absl::Status Poll();

  // Batches in flight.
  size_t in_flight() const { return flights_.size(); }

 private:
  struct Flight {
    std::vector<at::Tensor> host;
    std::unique_ptr<CopyStream::Event> event;  // null: the device failed
  };

  // Waits until fewer than kMost batches are in flight.
  absl::Status MakeRoom();
  // Keeps the device's first failure, and returns it.
  absl::Status Failed(absl::Status why);

  const std::unique_ptr<CopyStream> stream_;  // null for a CPU
  std::deque<Flight> flights_;                // oldest first
  absl::Status failure_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_DEVICE_COPIES_H_
