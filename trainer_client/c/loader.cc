#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"
#include "trainer_client/core/session/cursor_json.h"

namespace tributary {
namespace {

absl::Status OpenLoaderHandle(tributary_source* source, const char* session,
                              uint32_t rank, uint32_t world,
                              tributary_loader** loader) {
  RETURN_IF_ERROR(CheckGiven(loader, "loader"));
  *loader = nullptr;
  RETURN_IF_ERROR(CheckHandle(source, "source"));
  RETURN_IF_ERROR(CheckGiven(session, "session"));
  ASSIGN_OR_RETURN(const SessionText text, ParseSessionJson(session));
  ASSIGN_OR_RETURN(auto opened, source->workers->OpenLoader(text, rank, world));
  *loader = new tributary_loader(source->workers, std::move(opened));
  return absl::OkStatus();
}

// Runs `work` with the loader, unless another thread is in a call of it.
absl::Status WithLoader(tributary_loader* handle,
                        absl::FunctionRef<absl::Status(DistLoader&)> work) {
  RETURN_IF_ERROR(CheckHandle(handle, "loader"));
  const std::unique_lock lock(handle->one_call, std::try_to_lock);
  if (!lock.owns_lock()) {
    return absl::FailedPreconditionError(
        "another thread is in a call of this loader; allowed meanwhile: "
        "tributary_loader_cancel(), tributary_loader_close(), and calls of "
        "other loaders");
  }
  return work(*handle->loader);
}

tributary_status CallLoader(
    tributary_loader* handle,
    absl::FunctionRef<absl::Status(DistLoader&)> work) noexcept {
  return GuardCall([&] { return WithLoader(handle, work); });
}

// The same, with a text as its result.
tributary_status TextOfLoader(
    tributary_loader* handle, char** text,
    absl::FunctionRef<std::string(DistLoader&)> work) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckGiven(text, "json"));
    *text = nullptr;
    return WithLoader(handle, [&](DistLoader& loader) {
      return CopyText(work(loader), text);
    });
  });
}

// Returns the code of a call that did not fail.
absl::StatusOr<tributary_status> NextOf(DistLoader& loader, int64_t timeout_ms,
                                        tributary_batch** batch) {
  std::optional<absl::StatusOr<std::optional<BatchLease>>> result;
  if (timeout_ms < 0) {
    result = loader.Next();
  } else {
    result = loader.TryNext(absl::Milliseconds(timeout_ms));
  }
  if (!result.has_value()) return TRIBUTARY_NOT_YET;
  ASSIGN_OR_RETURN(std::optional<BatchLease> lease, *std::move(result));
  if (!lease.has_value()) return TRIBUTARY_END_OF_EPOCH;
  *batch = new tributary_batch(*std::move(lease));
  return TRIBUTARY_OK;
}

std::string StatisticsText(const LoaderStats& stats) {
  return nlohmann::ordered_json{{"batches", stats.batches},
                                {"inputs", stats.inputs},
                                {"bytes", stats.bytes},
                                {"left_out", stats.left_out},
                                {"compact", stats.compact},
                                {"wire_bytes", stats.wire_bytes()},
                                {"reassigned", stats.reassigned},
                                {"hedged", stats.hedged},
                                {"needs", stats.needs},
                                {"evicted", stats.evicted},
                                {"doubles", stats.doubles},
                                {"waited", absl::ToDoubleSeconds(stats.waited)},
                                {"wait_ratio", stats.wait_ratio}}
      .dump();
}

void CloseLoaderHandle(tributary_loader* handle) {
  handle->loader->Cancel();
  // The thread whose call was cancelled may still be in it.
  { const std::lock_guard lock(handle->one_call); }
  delete handle;
}

}  // namespace
}  // namespace tributary

using tributary::DistLoader;

extern "C" {

tributary_status tributary_loader_open(tributary_source* source,
                                       const char* session, uint32_t rank,
                                       uint32_t world,
                                       tributary_loader** loader) {
  return tributary::GuardCall([&] {
    return tributary::OpenLoaderHandle(source, session, rank, world, loader);
  });
}

tributary_status tributary_loader_start_epoch(tributary_loader* handle,
                                              uint64_t epoch) {
  return tributary::CallLoader(
      handle, [&](DistLoader& loader) { return loader.StartEpoch(epoch); });
}

tributary_status tributary_loader_resume(tributary_loader* handle,
                                         const char* cursor) {
  return tributary::CallLoader(handle, [&](DistLoader& loader) -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(cursor, "cursor"));
    ASSIGN_OR_RETURN(const tributary::Cursor parsed,
                     tributary::ParseCursorText(cursor));
    return loader.Resume(parsed);
  });
}

tributary_status tributary_loader_limit(tributary_loader* handle, uint64_t from,
                                        uint64_t to) {
  return tributary::CallLoader(
      handle, [&](DistLoader& loader) { return loader.Limit(from, to); });
}

tributary_status tributary_loader_next(tributary_loader* handle,
                                       int64_t timeout_ms,
                                       tributary_batch** batch) {
  tributary_status code = TRIBUTARY_OK;
  const tributary_status failed = tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(batch, "batch"));
    *batch = nullptr;
    return tributary::WithLoader(
        handle, [&](DistLoader& loader) -> absl::Status {
          ASSIGN_OR_RETURN(code, tributary::NextOf(loader, timeout_ms, batch));
          return absl::OkStatus();
        });
  });
  return failed == TRIBUTARY_OK ? code : failed;
}

tributary_status tributary_loader_descriptor(tributary_loader* handle,
                                             int* fd) {
  return tributary::CallLoader(handle, [&](DistLoader& loader) -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(fd, "fd"));
    *fd = -1;
    ASSIGN_OR_RETURN(*fd, loader.ReadyDescriptor());
    return absl::OkStatus();
  });
}

tributary_status tributary_loader_get_sizes(tributary_loader* handle,
                                            tributary_loader_sizes* sizes) {
  return tributary::CallLoader(handle, [&](DistLoader& loader) -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(sizes, "sizes"));
    *sizes = {.num_inputs = loader.num_inputs(),
              .num_batches = loader.num_batches(),
              .begin_index = loader.begin_index(),
              .end_index = loader.end_index(),
              .rounds = loader.rounds()};
    return absl::OkStatus();
  });
}

tributary_status tributary_loader_inputs_in_batch(tributary_loader* handle,
                                                  uint64_t index,
                                                  uint64_t* inputs) {
  return tributary::CallLoader(handle, [&](DistLoader& loader) -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(inputs, "inputs"));
    *inputs = loader.inputs_in_batch(index);
    return absl::OkStatus();
  });
}

tributary_status tributary_loader_schema(tributary_loader* handle,
                                         char** json) {
  return tributary::TextOfLoader(handle, json, [](DistLoader& loader) {
    return loader.schema().ToJson();
  });
}

tributary_status tributary_loader_cursor(tributary_loader* handle,
                                         uint64_t batches, char** json) {
  return tributary::TextOfLoader(handle, json, [&](DistLoader& loader) {
    return tributary::CursorText(loader.CursorAfter(batches));
  });
}

tributary_status tributary_loader_statistics(tributary_loader* handle,
                                             char** json) {
  return tributary::TextOfLoader(handle, json, [](DistLoader& loader) {
    return tributary::StatisticsText(loader.stats());
  });
}

tributary_status tributary_loader_cancel(tributary_loader* handle) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckHandle(handle, "loader"));
    handle->loader->Cancel();
    return absl::OkStatus();
  });
}

void tributary_loader_close(tributary_loader* handle) {
  if (handle == nullptr || !handle->InOwnProcess()) return;
  tributary::GuardClose([&] { tributary::CloseLoaderHandle(handle); });
}

}  // extern "C"
