// Mixed precision as Python's torch.autocast.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_AUTOCAST_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_AUTOCAST_H_

#include <ATen/autocast_mode.h>

namespace tributary {

// While it lives, matrix products of this thread compute in `type` on `device`,
// and operators that need the precision in float32: torch.autocast(device,
// type). Backward passes must run after its end, as in Python.
class Autocast {
 public:
  Autocast(at::DeviceType device, at::ScalarType type)
      : device_(device),
        enabled_before_(at::autocast::is_autocast_enabled(device)),
        type_before_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, type);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    // Casts of parameters are kept for as long as the parameters do not change.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, enabled_before_);
    at::autocast::set_autocast_dtype(device_, type_before_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const at::DeviceType device_;
  const bool enabled_before_;
  const at::ScalarType type_before_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_AUTOCAST_H_
