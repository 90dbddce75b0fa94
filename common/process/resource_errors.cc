#include "common/process/resource_errors.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::Status CatchResourceErrors(absl::FunctionRef<absl::Status()> run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        "out of memory; give smaller counts or sizes, or a larger machine");
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system cannot create more threads (", error.what(),
                     "); lower --threads"));
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError(
        "a count is larger than addressable memory; give smaller counts");
  } catch (const std::exception& error) {
    return absl::InternalError(
        absl::StrCat("a library failed: ", error.what(),
                     "; ulimit -a says what this process may use"));
  }
}

}  // namespace tributary
