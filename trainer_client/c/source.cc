#include <algorithm>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "common/text/status.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/process_log.h"
#include "trainer_client/c/tributary.h"

namespace tributary {
namespace {

WaitObserver ObserverOf(tributary_wait_callback on_wait, void* context) {
  if (on_wait == nullptr) return nullptr;
  return [on_wait, context](const WaitNotice& notice) {
    on_wait(context, notice.reason.c_str(), absl::ToDoubleSeconds(notice.left));
  };
}

absl::Status OpenSourceHandle(const char* options,
                              tributary_wait_callback on_wait, void* context,
                              tributary_source** source) {
  RETURN_IF_ERROR(CheckGiven(source, "source"));
  *source = nullptr;
  RETURN_IF_ERROR(CheckGiven(options, "options"));
  QuietProcessLog();
  ASSIGN_OR_RETURN(
      std::shared_ptr<SamplingWorkers> workers,
      SamplingWorkers::OpenText(options, ObserverOf(on_wait, context)));
  *source = new tributary_source(std::move(workers));
  return absl::OkStatus();
}

}  // namespace
}  // namespace tributary

extern "C" {

tributary_status tributary_source_open(const char* options,
                                       tributary_wait_callback on_wait,
                                       void* context,
                                       tributary_source** source) {
  return tributary::GuardCall([&] {
    return tributary::OpenSourceHandle(options, on_wait, context, source);
  });
}

tributary_status tributary_source_shutdown(tributary_source* source,
                                           int64_t timeout_ms) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckHandle(source, "source"));
    return source->workers->Shutdown(
        absl::Milliseconds(std::max<int64_t>(timeout_ms, 0)));
  });
}

void tributary_source_close(tributary_source* source) {
  if (source == nullptr || !source->InOwnProcess()) return;
  tributary::GuardClose([&] { delete source; });
}

}  // extern "C"
