// Converts LibTorch's exceptions to absl::Status.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_CATCH_TORCH_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_CATCH_TORCH_H_

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// Runs `f`, which returns an absl::Status and may throw. Returns an exception
// as INTERNAL, with `what` before its first line (the rest is a stack trace).
template <typename F>
absl::Status CatchTorch(std::string_view what, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const std::exception& e) {
    const std::string text = e.what();
    return absl::InternalError(
        absl::StrCat(std::string(what), ": ", text.substr(0, text.find('\n'))));
  }
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_CATCH_TORCH_H_
