// What every function of the C interface does around its work.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_CALL_GUARD_H_
#define TRIBUTARY_TRAINER_CLIENT_C_CALL_GUARD_H_

#include <sys/types.h>

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "trainer_client/c/tributary.h"

namespace tributary {

// Runs `work` and returns its status as a code, after keeping its text for
// tributary_last_error(). An exception becomes an error: RESOURCE_EXHAUSTED for
// lack of memory, INTERNAL for others.
tributary_status GuardCall(absl::FunctionRef<absl::Status()> work) noexcept;
// The same for functions without a status, which drop it.
void GuardClose(absl::FunctionRef<void()> work) noexcept;

// The text of the thread's last error.
const char* LastErrorText() noexcept;

// Belongs to the process that has made it: threads and locks do not exist in
// its children.
class ProcessBound {
 public:
  // `what` is what errors call it: "loader".
  explicit ProcessBound(const char* what);

  bool InOwnProcess() const;
  // FAILED_PRECONDITION in another process.
  absl::Status CheckProcess() const;

 private:
  const char* const what_;
  const pid_t pid_;
};

// INVALID_ARGUMENT, naming the argument, for null.
absl::Status CheckGiven(const void* argument, const char* name);

// Checks a handle that is given as `name`: neither null nor a parent's.
absl::Status CheckHandle(const ProcessBound* handle, const char* name);

// Copies a text for a caller of tributary_text_free().
absl::Status CopyText(const std::string& text, char** copy);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_C_CALL_GUARD_H_
