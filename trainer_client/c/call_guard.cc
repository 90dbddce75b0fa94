#include "trainer_client/c/call_guard.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tributary {
namespace {

constexpr char kNoMemory[] = "out of memory";

// Usable to the end of the process: handlers of exit() run after the
// destructors of their thread's objects.
thread_local std::string* last_error_text = nullptr;
thread_local bool last_error_is_no_memory = false;

// Deletes the text when its thread ends.
struct TextOwner {
  ~TextOwner() { delete std::exchange(last_error_text, nullptr); }
};

std::string& MutableErrorText() {
  thread_local TextOwner owner;
  if (last_error_text == nullptr) last_error_text = new std::string;
  return *last_error_text;
}

tributary_status KeepNoMemory() {
  last_error_is_no_memory = true;
  return TRIBUTARY_RESOURCE_EXHAUSTED;
}

// Keeping the text may itself lack memory.
tributary_status KeepError(tributary_status code, absl::string_view text) {
  try {
    MutableErrorText().assign(text.data(), text.size());
    last_error_is_no_memory = false;
    return code;
  } catch (...) {
    return KeepNoMemory();
  }
}

}  // namespace

tributary_status GuardCall(absl::FunctionRef<absl::Status()> work) noexcept {
  try {
    const absl::Status status = work();
    if (status.ok()) return TRIBUTARY_OK;
    return KeepError(static_cast<tributary_status>(status.code()),
                     status.message());
  } catch (const std::bad_alloc&) {
    return KeepNoMemory();
  } catch (const std::exception& error) {
    return KeepError(TRIBUTARY_INTERNAL, error.what());
  } catch (...) {
    return KeepError(TRIBUTARY_INTERNAL, "an unknown exception");
  }
}

void GuardClose(absl::FunctionRef<void()> work) noexcept {
  try {
    work();
  } catch (...) {
    // A caller of close() has nothing left to act on.
  }
}

const char* LastErrorText() noexcept {
  if (last_error_is_no_memory) return kNoMemory;
  return last_error_text == nullptr ? "" : last_error_text->c_str();
}

ProcessBound::ProcessBound(const char* what) : what_(what), pid_(getpid()) {}

bool ProcessBound::InOwnProcess() const { return getpid() == pid_; }

absl::Status ProcessBound::CheckProcess() const {
  if (InOwnProcess()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the ", what_, " is of process ", pid_, ", and this is process ",
      getpid(), ", after a fork(); allowed: a ", what_,
      " that this process opens itself, or child processes that are started "
      "anew (multiprocessing's spawn)"));
}

absl::Status CheckGiven(const void* argument, const char* name) {
  if (argument != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is NULL"));
}

absl::Status CheckHandle(const ProcessBound* handle, const char* name) {
  const absl::Status given = CheckGiven(handle, name);
  return given.ok() ? handle->CheckProcess() : given;
}

absl::Status CopyText(const std::string& text, char** copy) {
  *copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (*copy == nullptr) return absl::ResourceExhaustedError(kNoMemory);
  std::memcpy(*copy, text.c_str(), text.size() + 1);
  return absl::OkStatus();
}

}  // namespace tributary
