// Initial values that are a function of a seed.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEEDED_DRAWS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEEDED_DRAWS_H_

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cstdint>
#include <mutex>

namespace tributary {

// While it lives, the default generator, from which LibTorch draws initial
// values, is seeded; then it has its state back.
class SeededDraws {
 public:
  explicit SeededDraws(uint64_t seed) {
    const std::scoped_lock lock(generator_.mutex());
    state_ = generator_.get_state();
    generator_.set_current_seed(seed);
  }
  ~SeededDraws() {
    const std::scoped_lock lock(generator_.mutex());
    generator_.set_state(state_);
  }
  SeededDraws(const SeededDraws&) = delete;
  SeededDraws& operator=(const SeededDraws&) = delete;

 private:
  at::Generator generator_ = at::detail::getDefaultCPUGenerator();
  at::Tensor state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEEDED_DRAWS_H_
