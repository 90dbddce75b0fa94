#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/io/atomic_folder.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"
#include "trainer_client/tensors/tensor_snapshot.h"

namespace tributary {
namespace {

absl::StatusOr<DistContextOptions> ReadContextOptions(const char* text) {
  RETURN_IF_ERROR(CheckGiven(text, "options"));
  ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text, "options"));
  JsonObject in(json, "options");
  DistContextOptions options;
  if (in.Has("rank")) {
    options.rank = static_cast<int>(in.Whole("rank", INT32_MAX));
  }
  if (in.Has("world_size")) {
    options.world_size = static_cast<int>(in.Whole("world_size", INT32_MAX));
  }
  if (in.Has("attempt")) options.attempt = in.Whole("attempt");
  if (in.Has("timeout")) options.timeout = absl::Seconds(in.Real("timeout"));
  options.group_name = in.TextOr("group_name", options.group_name);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return options;
}

}  // namespace

absl::StatusOr<std::unique_lock<std::timed_mutex>>
SharedContext::WaitForTurn() {
  const absl::Duration timeout = context->options().timeout;
  std::unique_lock<std::timed_mutex> turn(turn_, std::defer_lock);
  if (turn.try_lock_for(absl::ToChronoMilliseconds(timeout))) return turn;
  return absl::DeadlineExceededError(
      absl::StrCat("another thread is in a collective of this context for ",
                   absl::FormatDuration(timeout),
                   "; allowed meanwhile: reads and writes of "
                   "rows, tributary_context_cancel()"));
}

namespace {

absl::Status OpenContextHandle(tributary_source* source, const char* options,
                               tributary_context** context) {
  RETURN_IF_ERROR(CheckGiven(context, "context"));
  *context = nullptr;
  RETURN_IF_ERROR(CheckHandle(source, "source"));
  ASSIGN_OR_RETURN(const DistContextOptions read, ReadContextOptions(options));
  ASSIGN_OR_RETURN(auto opened, DistContext::Open(source->workers.get(), read));
  *context = new tributary_context(
      std::make_shared<SharedContext>(source->workers, std::move(opened)));
  return absl::OkStatus();
}

// Runs `work` with the context, beside other threads.
tributary_status CallContext(
    tributary_context* handle,
    absl::FunctionRef<absl::Status(DistContext&)> work) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckHandle(handle, "context"));
    const std::shared_lock lock(handle->calls);
    return work(*handle->shared->context);
  });
}

// Runs a collective, or a call of a round.
tributary_status CallTogether(
    tributary_context* handle,
    absl::FunctionRef<absl::Status(DistContext&)> work) noexcept {
  return CallContext(handle, [&](DistContext& context) -> absl::Status {
    ASSIGN_OR_RETURN(const auto turn, handle->shared->WaitForTurn());
    return work(context);
  });
}

// Writes the snapshot on rank 0, and tells all ranks whether the folder is
// there.
absl::Status SaveRows(DistContext& context, const std::string& folder) {
  absl::StatusOr<std::unique_ptr<AtomicFolder>> made = nullptr;
  if (context.rank() == 0) {
    absl::StatusOr<AtomicFolder> created = AtomicFolder::Create(folder);
    if (created.ok()) {
      made = std::make_unique<AtomicFolder>(*std::move(created));
    } else {
      made = created.status();
    }
  }
  RETURN_IF_ERROR(WriteTensorSnapshot(
      context, [&](const std::string& name) -> absl::StatusOr<std::string> {
        RETURN_IF_ERROR(made.status());
        return (*made)->PathFor(name);
      }));
  absl::Status committed;
  if (context.rank() == 0) committed = (*made)->Commit();
  ASSIGN_OR_RETURN(const auto errors,
                   context.AllGather("save", std::string(committed.message())));
  RETURN_IF_ERROR(committed);
  if (errors[0].empty()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("rank 0: ", errors[0]));
}

// Cancels nothing unless a thread is in a call, so that a run of one rank can
// be ended on its servers.
void CloseContextHandle(tributary_context* handle) {
  {
    std::unique_lock lock(handle->calls, std::try_to_lock);
    if (!lock.owns_lock()) {
      handle->shared->context->Cancel();
      lock.lock();
    }
  }
  delete handle;
}

}  // namespace
}  // namespace tributary

using tributary::DistContext;

extern "C" {

tributary_status tributary_context_open(tributary_source* source,
                                        const char* options,
                                        tributary_context** context) {
  return tributary::GuardCall(
      [&] { return tributary::OpenContextHandle(source, options, context); });
}

tributary_status tributary_context_barrier(tributary_context* handle,
                                           const char* name) {
  return tributary::CallTogether(
      handle, [&](DistContext& context) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckGiven(name, "name"));
        return context.Barrier(name);
      });
}

tributary_status tributary_context_gather(tributary_context* handle,
                                          const char* name, const char* text,
                                          char** json) {
  return tributary::CallTogether(
      handle, [&](DistContext& context) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckGiven(json, "json"));
        *json = nullptr;
        RETURN_IF_ERROR(tributary::CheckGiven(name, "name"));
        RETURN_IF_ERROR(tributary::CheckGiven(text, "text"));
        ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                         context.AllGather(name, text));
        return tributary::CopyText(nlohmann::ordered_json(texts).dump(), json);
      });
}

tributary_status tributary_context_save(tributary_context* handle,
                                        const char* folder) {
  return tributary::CallTogether(
      handle, [&](DistContext& context) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckGiven(folder, "folder"));
        return tributary::SaveRows(context, folder);
      });
}

tributary_status tributary_context_restore(tributary_context* handle,
                                           const char* folder) {
  return tributary::CallTogether(
      handle, [&](DistContext& context) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckGiven(folder, "folder"));
        return context.RestoreFrom(context.rank() == 0 ? folder : "");
      });
}

tributary_status tributary_context_close_round(tributary_context* handle) {
  return tributary::CallTogether(
      handle, [](DistContext& context) { return context.rounds().Close(); });
}

tributary_status tributary_context_draining(tributary_context* handle,
                                            int32_t* draining) {
  return tributary::CallContext(
      handle, [&](DistContext& context) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckGiven(draining, "draining"));
        *draining = context.server_draining() ? 1 : 0;
        return absl::OkStatus();
      });
}

tributary_status tributary_context_finish(tributary_context* handle) {
  return tributary::CallTogether(
      handle, [](DistContext& context) { return context.Close(); });
}

tributary_status tributary_context_cancel(tributary_context* handle) {
  return tributary::CallContext(handle, [](DistContext& context) {
    context.Cancel();
    return absl::OkStatus();
  });
}

void tributary_context_close(tributary_context* handle) {
  if (handle == nullptr || !handle->InOwnProcess()) return;
  tributary::GuardClose([&] { tributary::CloseContextHandle(handle); });
}

}  // extern "C"
