#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/json/json_object.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/graph_calls.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"
#include "trainer_client/tensors/gradient_rounds.h"

namespace tributary {
namespace {

InitialValues ReadInitial(JsonObject in) {
  using Kind = InitialValues::Kind;
  constexpr Kind kKinds[] = {Kind::kZeros, Kind::kOnes, Kind::kUniform,
                             Kind::kNormal, Kind::kXavierUniform};
  InitialValues initial;
  initial.kind = kKinds[in.OneOf(
      "kind", {"zeros", "ones", "uniform", "normal", "xavier_uniform"})];
  if (in.Has("random_seed")) initial.random_seed = in.Whole("random_seed");
  if (initial.kind == Kind::kUniform) {
    initial.low = in.Real("low");
    initial.high = in.Real("high");
  } else if (initial.kind == Kind::kNormal) {
    initial.low = in.Real("mean");
    initial.high = in.Real("std");
  } else if (initial.kind == Kind::kXavierUniform) {
    initial.low = in.Has("gain") ? in.Real("gain") : 1;
  }
  in.RefuseOthers();
  return initial;
}

absl::StatusOr<DistTensorOptions> ReadRowsOptions(const char* text) {
  RETURN_IF_ERROR(CheckGiven(text, "options"));
  ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text, "options"));
  JsonObject in(json, "options");
  DistTensorOptions options;
  options.name = in.Text("name");
  options.policy = in.TextOr("policy", "");
  if (options.policy.empty() || in.Has("num_rows")) {
    options.num_rows = in.Count("num_rows");
  }
  if (in.Has("dim")) options.dim = in.Count("dim");
  if (in.Has("dtype")) {
    const auto dtype = DTypeFromName(in.Text("dtype"));
    in.Absorb(dtype.status());
    if (dtype.ok()) options.dtype = *dtype;
  }
  if (in.Has("persistent")) options.persistent = in.Bool("persistent");
  if (in.Has("initial")) options.initial = ReadInitial(in.Object("initial"));
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return options;
}

absl::Status OpenRowsHandle(tributary_context* handle, const char* options,
                            tributary_rows** rows) {
  RETURN_IF_ERROR(CheckGiven(rows, "rows"));
  *rows = nullptr;
  RETURN_IF_ERROR(CheckHandle(handle, "context"));
  const std::shared_lock lock(handle->calls);
  SharedContext& shared = *handle->shared;
  ASSIGN_OR_RETURN(const auto turn, shared.WaitForTurn());
  ASSIGN_OR_RETURN(const DistTensorOptions read, ReadRowsOptions(options));
  ASSIGN_OR_RETURN(auto opened, DistTensor::Create(*shared.context, read));
  *rows = new tributary_rows(handle->shared, std::move(opened));
  return absl::OkStatus();
}

// Runs `work` with the tensor, beside other threads.
tributary_status CallRows(
    tributary_rows* handle,
    absl::FunctionRef<absl::Status(DistTensor&)> work) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckHandle(handle, "rows"));
    const std::shared_lock lock(handle->calls);
    return work(*handle->tensor);
  });
}

// Runs a collective, or a call of a round.
tributary_status CallTogether(
    tributary_rows* handle,
    absl::FunctionRef<absl::Status(DistTensor&)> work) noexcept {
  return CallRows(handle, [&](DistTensor& tensor) -> absl::Status {
    ASSIGN_OR_RETURN(const auto turn, handle->shared->WaitForTurn());
    return work(tensor);
  });
}

template <typename T>
absl::StatusOr<absl::Span<T>> BytesOf(T* bytes, uint64_t size,
                                      const char* name) {
  if (size > PTRDIFF_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes is ", size, "; allowed: at most ", PTRDIFF_MAX));
  }
  if (size > 0) RETURN_IF_ERROR(CheckGiven(bytes, name));
  return absl::Span<T>(bytes, size);
}

using WriteRows = absl::Status (DistTensor::*)(Ids, absl::Span<const uint8_t>);

tributary_status Write(tributary_rows* handle, WriteRows write,
                       const int64_t* ids, uint64_t num_ids, const void* values,
                       uint64_t bytes) noexcept {
  return CallRows(handle, [&](DistTensor& tensor) -> absl::Status {
    ASSIGN_OR_RETURN(const Ids rows, IdsOf(ids, num_ids, "ids"));
    ASSIGN_OR_RETURN(
        const auto from,
        BytesOf(static_cast<const uint8_t*>(values), bytes, "values"));
    return (tensor.*write)(rows, from);
  });
}

absl::StatusOr<SparseOptimizerKind> KindOfOptimizer(const char* kind) {
  RETURN_IF_ERROR(CheckGiven(kind, "kind"));
  const std::string name = kind;
  if (name == "sgd") return SparseOptimizerKind::kSgd;
  if (name == "adagrad") return SparseOptimizerKind::kAdagrad;
  if (name == "adam") return SparseOptimizerKind::kAdam;
  return absl::InvalidArgumentError(absl::StrCat(
      "kind is \"", name, "\"; allowed: \"sgd\", \"adagrad\", \"adam\""));
}

absl::Status Push(DistTensor& tensor, GradientRounds& rounds, uint32_t place,
                  Ids rows, const float* gradients, uint64_t bytes,
                  const tributary_step* step) {
  RETURN_IF_ERROR(CheckGiven(step, "step"));
  ASSIGN_OR_RETURN(const auto read, BytesOf(gradients, bytes, "gradients"));
  if (read.size() != rows.size() * tensor.width() * sizeof(float)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "bytes is ", bytes, "; allowed: ", rows.size(), " rows of ",
        tensor.width(), " float32 of ", tensor.name()));
  }
  const absl::Span<const float> values(gradients, bytes / sizeof(float));
  RETURN_IF_ERROR(CheckFinite(tensor, rows, values));
  return rounds.Push(tensor, place, rows, values,
                     {.learning_rate = step->learning_rate,
                      .eps = step->eps,
                      .beta1 = step->beta1,
                      .beta2 = step->beta2,
                      .scale = step->scale});
}

std::string SchemaText(const DistTensor& tensor) {
  const DistTensorOptions& options = tensor.options();
  return nlohmann::ordered_json{{"name", options.name},
                                {"num_rows", options.num_rows},
                                {"dim", options.dim},
                                {"dtype", DTypeName(options.dtype)},
                                {"row_bytes", tensor.row_bytes()}}
      .dump();
}

void CloseRowsHandle(tributary_rows* handle) {
  { const std::unique_lock lock(handle->calls); }
  delete handle;
}

}  // namespace
}  // namespace tributary

using tributary::DistTensor;

extern "C" {

tributary_status tributary_rows_open(tributary_context* context,
                                     const char* options,
                                     tributary_rows** rows) {
  return tributary::GuardCall(
      [&] { return tributary::OpenRowsHandle(context, options, rows); });
}

tributary_status tributary_rows_schema(tributary_rows* handle, char** json) {
  return tributary::CallRows(handle, [&](DistTensor& tensor) -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(json, "json"));
    *json = nullptr;
    return tributary::CopyText(tributary::SchemaText(tensor), json);
  });
}

tributary_status tributary_rows_read(tributary_rows* handle, const int64_t* ids,
                                     uint64_t num_ids, void* values,
                                     uint64_t bytes) {
  return tributary::CallRows(handle, [&](DistTensor& tensor) -> absl::Status {
    ASSIGN_OR_RETURN(const auto rows, tributary::IdsOf(ids, num_ids, "ids"));
    ASSIGN_OR_RETURN(
        const auto to,
        tributary::BytesOf(static_cast<uint8_t*>(values), bytes, "values"));
    std::unique_ptr<tributary::RowPrefetch> prefetch;
    {
      const std::lock_guard lock(handle->prefetches);
      prefetch = std::move(handle->prefetch);
    }
    return tensor.Read(rows, to, std::move(prefetch));
  });
}

tributary_status tributary_rows_prefetch(tributary_rows* handle,
                                         const int64_t* ids, uint64_t num_ids) {
  return tributary::CallRows(handle, [&](DistTensor& tensor) -> absl::Status {
    ASSIGN_OR_RETURN(const auto rows, tributary::IdsOf(ids, num_ids, "ids"));
    auto started = tensor.Prefetch(rows);
    const std::lock_guard lock(handle->prefetches);
    handle->prefetch = std::move(started);
    return absl::OkStatus();
  });
}

tributary_status tributary_rows_set(tributary_rows* handle, const int64_t* ids,
                                    uint64_t num_ids, const void* values,
                                    uint64_t bytes) {
  return tributary::Write(handle, &DistTensor::Set, ids, num_ids, values,
                          bytes);
}

tributary_status tributary_rows_add(tributary_rows* handle, const int64_t* ids,
                                    uint64_t num_ids, const void* values,
                                    uint64_t bytes) {
  return tributary::Write(handle, &DistTensor::Add, ids, num_ids, values,
                          bytes);
}

tributary_status tributary_rows_attach_optimizer(tributary_rows* handle,
                                                 const char* kind) {
  return tributary::CallTogether(
      handle, [&](DistTensor& tensor) -> absl::Status {
        ASSIGN_OR_RETURN(const auto of, tributary::KindOfOptimizer(kind));
        return tensor.AttachOptimizer(of);
      });
}

tributary_status tributary_rows_push(tributary_rows* handle, uint32_t place,
                                     const int64_t* ids, uint64_t num_ids,
                                     const float* gradients, uint64_t bytes,
                                     const tributary_step* step) {
  return tributary::CallTogether(
      handle, [&](DistTensor& tensor) -> absl::Status {
        ASSIGN_OR_RETURN(const auto rows,
                         tributary::IdsOf(ids, num_ids, "ids"));
        return tributary::Push(tensor, handle->shared->context->rounds(), place,
                               rows, gradients, bytes, step);
      });
}

tributary_status tributary_rows_copy(tributary_rows* handle,
                                     tributary_rows* from) {
  return tributary::CallTogether(
      handle, [&](DistTensor& tensor) -> absl::Status {
        RETURN_IF_ERROR(tributary::CheckHandle(from, "from"));
        if (from == handle) return absl::OkStatus();
        if (from->shared != handle->shared) {
          return absl::InvalidArgumentError(
              "from is of another context; allowed: rows of the same one");
        }
        const std::shared_lock lock(from->calls);
        return tensor.CopyFrom(*from->tensor);
      });
}

tributary_status tributary_rows_drop(tributary_rows* handle) {
  return tributary::CallTogether(
      handle, [](DistTensor& tensor) { return tensor.Drop(); });
}

void tributary_rows_close(tributary_rows* handle) {
  if (handle == nullptr || !handle->InOwnProcess()) return;
  tributary::GuardClose([&] { tributary::CloseRowsHandle(handle); });
}

}  // extern "C"
