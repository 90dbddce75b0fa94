#include "sampler_server/tensors/tensor_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/request_checks.h"

namespace tributary {
namespace {

std::string NameOf(const AttemptScope& scope, uint64_t number) {
  return absl::StrCat("attempt ", number, " of job '", TerminalLine(scope.job),
                      "'");
}

v1::SparseOptimizer CodeOf(OptimizerKind kind) {
  return static_cast<v1::SparseOptimizer>(kind);
}
static_assert(static_cast<int>(OptimizerKind::kAdam) == v1::SPARSE_ADAM);

// Whether one that has `own` of the `taken` things may have one more of `all`:
// it leaves as many as it takes, or has none.
bool LeavesRoom(size_t own, size_t taken, size_t all) {
  return taken < all && (own == 0 || own + 1 <= all - taken - 1);
}

// Ends every error of a run whose rows belong to another one.
constexpr char kOneKeyEach[] =
    ": a later start of this run, or another run of the same name; runs at the "
    "same time need a --worker-key (worker_key) each";

// Returns who has opened the attempt, as other callers of its job may know.
std::string OpenerOf(const std::shared_ptr<Attempt>& attempt) {
  return attempt == nullptr ? "another caller"
                            : TerminalLine(attempt->options().caller);
}

absl::StatusOr<uint32_t> IndexOf(const RowPlacement& placement,
                                 const std::string& address) {
  for (uint32_t i = 0; i < placement.members().size(); ++i) {
    if (placement.members()[i].address == address) return i;
  }
  return absl::InternalError(
      absl::StrCat("no member ", address, " in its own placement"));
}

}  // namespace

TensorStore::TensorStore(TensorStoreOptions options,
                         TensorStoreEnvironment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      memory_("--tensor-memory", options_.memory, options_.weights),
      staging_("the memory of gradients (a quarter of --tensor-memory)",
               options_.staging(), options_.weights) {}

absl::StatusOr<AttemptOptions> TensorStore::CheckOpen(
    const v1::OpenAttemptRequest& request) const {
  const v1::AttemptRef& ref = request.attempt();
  AttemptOptions options;
  ASSIGN_OR_RETURN(options.scope, CheckScope(ref));
  if (!options_.weights.Serves(options.scope.job)) {
    return absl::PermissionDeniedError(
        absl::StrCat("--job-weights of this server refuse job '",
                     TerminalLine(options.scope.job), "'"));
  }
  if (ref.attempt() == 0 || ref.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", ref.rank(), " opens attempt ", ref.attempt(),
                     "; rank 0 opens attempts, from 1 on"));
  }
  if (request.world() == 0 || request.world() > kMaxWorld) {
    return absl::InvalidArgumentError(
        absl::StrCat("an attempt of ", request.world(),
                     " ranks; allowed: 1 to ", kMaxWorld));
  }
  if (request.member() >= static_cast<uint32_t>(request.members_size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("member ", request.member(), " of ",
                     request.members_size(), " servers that hold rows"));
  }
  for (const v1::TensorMember& member : request.members()) {
    options.members.push_back({member.address(), member.incarnation()});
  }
  const RowMember& self = options.members[request.member()];
  if (self.incarnation != options_.incarnation) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the server at ", TerminalLine(self.address), " is incarnation ",
        options_.incarnation, ", not ", self.incarnation,
        ": it has started again, or is another one"));
  }
  ASSIGN_OR_RETURN(RowPlacement placement,
                   RowPlacement::Create(options.members));
  ASSIGN_OR_RETURN(options.member, IndexOf(placement, self.address));
  options.placement =
      std::make_shared<const RowPlacement>(std::move(placement));
  options.number = ref.attempt();
  options.world = request.world();
  options.opener = ref.client();
  options.rank_staging = staging_.ShareOf(options.scope.job) / options.world;
  return options;
}

absl::Status TensorStore::CheckNewest(const AttemptOptions& options,
                                      std::shared_ptr<Attempt>* found) {
  MutexLock lock(mutex_);
  const auto it = scopes_.find(options.scope);
  if (it != scopes_.end()) {
    const Scope& scope = it->second;
    *found = scope.open;
    if (scope.newest > options.number) {
      return absl::FailedPreconditionError(
          absl::StrCat(NameOf(options.scope, options.number),
                       " is older than attempt ", scope.newest, ", which ",
                       OpenerOf(scope.open), " has opened", kOneKeyEach));
    }
    if (scope.newest == options.number &&
        (scope.open == nullptr || !scope.open->SameAs(options))) {
      return absl::FailedPreconditionError(absl::StrCat(
          NameOf(options.scope, options.number),
          scope.open == nullptr
              ? absl::StrCat(" has ended: ", scope.ended.message())
              : absl::StrCat(" is open for another client, world or members, ",
                             "those of ", OpenerOf(scope.open), kOneKeyEach)));
    }
  }
  return *found == nullptr ? CheckRoomForAttempt(options.caller)
                           : absl::OkStatus();
}

absl::Status TensorStore::CheckRoomForAttempt(const std::string& caller) const {
  size_t open = 0;
  size_t own = 0;
  for (const auto& [key, scope] : scopes_) {
    if (scope.open == nullptr) continue;
    ++open;
    if (scope.open->options().caller == caller) ++own;
  }
  if (LeavesRoom(own, open, kMaxAttempts)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(open, " attempts are open on this server, ", own,
                   " of them of this caller; allowed: ", kMaxAttempts,
                   ", of which a caller leaves as many as it has"));
}

absl::Status TensorStore::CheckRoomForTensor(const std::string& job) const {
  const auto own = static_cast<size_t>(std::count_if(
      tensors_.begin(), tensors_.end(),
      [&](const auto& tensor) { return tensor.first.first.job == job; }));
  if (LeavesRoom(own, tensors_.size(), kMaxTensors)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("this server holds ", tensors_.size(), " tensors, ", own,
                   " of job '", TerminalLine(job), "'; allowed: ", kMaxTensors,
                   ", of which a job leaves as many as it has"));
}

absl::StatusOr<std::shared_ptr<Attempt>> TensorStore::Open(
    const v1::OpenAttemptRequest& request, const std::string& caller) {
  ASSIGN_OR_RETURN(AttemptOptions options, CheckOpen(request));
  options.caller = caller;
  MutexLock changing(change_mutex_);
  std::shared_ptr<Attempt> found;
  RETURN_IF_ERROR(CheckNewest(options, &found));
  if (found != nullptr && found->number() == options.number) return found;
  if (draining()) {
    return absl::UnavailableError(
        "this server is draining and opens no attempts");
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const void> pin,
                   environment_.pin_graph(options.scope.graph));
  if (found != nullptr) {
    EndAttempt(found,
               absl::FailedPreconditionError(absl::StrCat(
                   NameOf(options.scope, found->number()),
                   " was replaced by attempt ", options.number, ", which ",
                   TerminalLine(options.caller), " has opened", kOneKeyEach)));
  }
  auto attempt = std::make_shared<Attempt>(std::move(options), std::move(pin),
                                           environment_.executor);
  MutexLock lock(mutex_);
  Scope& scope = scopes_[attempt->scope()];
  scope.newest = attempt->number();
  scope.open = attempt;
  ForgetScopes();
  return attempt;
}

// Forgets the numbers of some scopes that have no attempt, beyond kMaxScopes.
void TensorStore::ForgetScopes() {
  for (auto it = scopes_.begin();
       scopes_.size() > kMaxScopes && it != scopes_.end();) {
    it = it->second.open == nullptr ? scopes_.erase(it) : std::next(it);
  }
}

absl::StatusOr<std::shared_ptr<Attempt>> TensorStore::Find(
    const v1::AttemptRef& ref) {
  ASSIGN_OR_RETURN(const AttemptScope key, CheckScope(ref));
  std::shared_ptr<Attempt> attempt;
  {
    MutexLock lock(mutex_);
    const auto it = scopes_.find(key);
    if (it == scopes_.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat(NameOf(key, ref.attempt()),
                       " is not open on this server, which may have started "
                       "again since"));
    }
    attempt = it->second.open;
    if (it->second.newest != ref.attempt()) {
      return absl::FailedPreconditionError(
          absl::StrCat(NameOf(key, ref.attempt()), " is not open; attempt ",
                       it->second.newest, " is the newest, which ",
                       OpenerOf(attempt), " has opened", kOneKeyEach));
    }
    if (attempt == nullptr) return it->second.ended;
  }
  RETURN_IF_ERROR(attempt->Admit(ref.rank(), ref.client()));
  return attempt;
}

absl::StatusOr<std::shared_ptr<Attempt>> TensorStore::Join(
    const v1::AttemptRef& ref) {
  ASSIGN_OR_RETURN(const AttemptScope key, CheckScope(ref));
  std::shared_ptr<Attempt> attempt;
  {
    MutexLock lock(mutex_);
    const auto it = scopes_.find(key);
    if (it != scopes_.end()) attempt = it->second.open;
  }
  if (attempt == nullptr ||
      (ref.attempt() != 0 && attempt->number() < ref.attempt())) {
    return absl::NotFoundError(
        absl::StrCat("rank 0 has not opened an attempt of job '",
                     TerminalLine(key.job), "' on this server yet"));
  }
  if (ref.attempt() != 0 && attempt->number() != ref.attempt()) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameOf(key, ref.attempt()), " is not open; attempt ", attempt->number(),
        " is, which ", OpenerOf(attempt), " has opened", kOneKeyEach));
  }
  absl::Status admitted = attempt->Admit(ref.rank(), ref.client());
  if (ref.attempt() == 0 && absl::IsFailedPrecondition(admitted)) {
    return absl::NotFoundError(
        absl::StrCat(admitted.message(), ", and rank 0 has not opened one"));
  }
  RETURN_IF_ERROR(admitted);
  return attempt;
}

absl::Status TensorStore::Close(const v1::AttemptRef& ref) {
  ASSIGN_OR_RETURN(const auto attempt, Find(ref));
  if (ref.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", ref.rank(), " closes an attempt; rank 0 does"));
  }
  MutexLock changing(change_mutex_);
  EndAttempt(attempt, absl::FailedPreconditionError(absl::StrCat(
                          NameOf(attempt->scope(), attempt->number()),
                          " was closed by its rank 0")));
  return absl::OkStatus();
}

void TensorStore::EndAttempt(std::shared_ptr<Attempt> attempt,
                             const absl::Status& why) {
  attempt->End(why);
  MutexLock lock(mutex_);
  const auto it = scopes_.find(attempt->scope());
  if (it == scopes_.end() || it->second.open != attempt) return;
  it->second.open = nullptr;
  it->second.ended = why;
  DropTensorsOf(attempt->scope());
}

void TensorStore::DropTensorsOf(const AttemptScope& scope) {
  for (auto it = tensors_.lower_bound({scope, ""});
       it != tensors_.end() && it->first.first == scope;) {
    if (!it->second.spec.persistent()) {
      it = tensors_.erase(it);
      continue;
    }
    it->second.attempt = 0;
    ++it;
  }
}

std::shared_ptr<const void> TensorStore::Use(Attempt& attempt) {
  return attempt.Use([weak = weak_from_this()](std::shared_ptr<Attempt> unused,
                                               uint64_t uses) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->environment_.executor->PostAfter(self->options_.unused_timeout,
                                           [weak, unused, uses] {
                                             if (const auto self = weak.lock())
                                               self->EndUnused(unused, uses);
                                           });
  });
}

void TensorStore::EndUnused(const std::shared_ptr<Attempt>& attempt,
                            uint64_t uses) {
  MutexLock changing(change_mutex_);
  if (!attempt->UnusedSince(uses)) return;
  EndAttempt(attempt, absl::FailedPreconditionError(absl::StrCat(
                          NameOf(attempt->scope(), attempt->number()),
                          " has ended: none of its ranks was connected for ",
                          absl::FormatDuration(options_.unused_timeout))));
}

void TensorStore::EndAll(const absl::Status& why) {
  MutexLock changing(change_mutex_);
  std::vector<std::shared_ptr<Attempt>> open;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, scope] : scopes_) {
      if (scope.open != nullptr) open.push_back(scope.open);
    }
  }
  for (const auto& attempt : open) EndAttempt(attempt, why);
}

size_t TensorStore::open_attempts() const {
  MutexLock lock(mutex_);
  return static_cast<size_t>(std::count_if(
      scopes_.begin(), scopes_.end(),
      [](const auto& scope) { return scope.second.open != nullptr; }));
}

absl::StatusOr<TensorStore::Tensor> TensorStore::MakeTensor(
    Attempt& attempt, const v1::TensorSpec& spec) {
  if (options_.memory == 0) {
    return absl::FailedPreconditionError(
        "this server holds no tensors: its --tensor-memory is 0");
  }
  ASSIGN_OR_RETURN(TensorShape shape, CheckTensorSpec(spec));
  ASSIGN_OR_RETURN(const RowInitializer initial, CheckInitialValue(spec));
  const TensorTable::Place place{attempt.options().placement,
                                 attempt.options().member};
  if (shape.num_rows > kMaxTensorBytes / shape.row_bytes()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "tensor '", TerminalLine(shape.name), "' has ", shape.num_rows,
        " rows of ", shape.row_bytes(), " bytes; no --tensor-memory holds it"));
  }
  ASSIGN_OR_RETURN(
      Reservation memory,
      memory_.Reserve(attempt.scope().job, TensorTable::BytesOf(shape, place),
                      absl::StrCat("tensor '", TerminalLine(shape.name), "'")));
  Tensor tensor;
  tensor.spec = spec;
  tensor.attempt = attempt.number();
  ASSIGN_OR_RETURN(
      tensor.table,
      TensorTable::Create(std::move(shape), place, initial, std::move(memory)));
  return tensor;
}

absl::Status TensorStore::FindTensor(Attempt& attempt,
                                     const v1::TensorSpec& spec,
                                     Tensor& tensor) {
  if (tensor.spec.SerializeAsString() != spec.SerializeAsString()) {
    return absl::AlreadyExistsError(absl::StrCat(
        "tensor '", TerminalLine(spec.name()), "' exists as {",
        TerminalLine(tensor.spec.ShortDebugString()), "}, asked for as {",
        TerminalLine(spec.ShortDebugString()), "}"));
  }
  if (tensor.attempt == attempt.number()) return absl::OkStatus();
  tensor.table->ForgetRounds();
  tensor.attempt = attempt.number();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<TensorTable>> TensorStore::Create(
    Attempt& attempt, const v1::TensorSpec& spec, bool* existed) {
  RETURN_IF_ERROR(CheckTensorSpec(spec).status());
  std::shared_ptr<TensorTable> table;
  RETURN_IF_ERROR(attempt.WhileOpen([&]() -> absl::Status {
    MutexLock lock(mutex_);
    const TensorKey key{attempt.scope(), spec.name()};
    auto it = tensors_.find(key);
    *existed = it != tensors_.end();
    if (*existed) {
      RETURN_IF_ERROR(FindTensor(attempt, spec, it->second));
    } else {
      RETURN_IF_ERROR(CheckRoomForTensor(attempt.scope().job));
      ASSIGN_OR_RETURN(Tensor tensor, MakeTensor(attempt, spec));
      it = tensors_.emplace(key, std::move(tensor)).first;
    }
    table = it->second.table;
    attempt.Put(spec.name(), table);
    if (environment_.hold_server) {
      attempt.HoldServer(environment_.hold_server());
    }
    return absl::OkStatus();
  }));
  return table;
}

absl::Status TensorStore::AttachOptimizer(Attempt& attempt,
                                          const std::string& name,
                                          OptimizerKind kind) {
  ASSIGN_OR_RETURN(const auto table, attempt.Find(name));
  MutexLock attaching(attach_mutex_);
  Reservation memory;
  if (table->optimizer() == OptimizerKind::kNone &&
      table->shape().dtype == DType::kFloat32) {
    ASSIGN_OR_RETURN(
        memory,
        memory_.Reserve(
            attempt.scope().job,
            TensorTable::OptimizerBytes(table->shape(), table->place(), kind),
            absl::StrCat("the state of ", OptimizerName(kind), " for tensor '",
                         TerminalLine(name), "'")));
  }
  return attempt.WhileOpen(
      [&] { return table->AttachOptimizer(kind, std::move(memory)); });
}

absl::StatusOr<bool> TensorStore::Drop(Attempt& attempt,
                                       const std::string& name) {
  bool existed = false;
  RETURN_IF_ERROR(attempt.WhileOpen([&] {
    MutexLock lock(mutex_);
    attempt.Remove(name);
    existed = tensors_.erase({attempt.scope(), name}) > 0;
    return absl::OkStatus();
  }));
  return existed;
}

absl::StatusOr<bool> TensorStore::DropForOperator(const std::string& job,
                                                  const std::string& graph,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(const std::string owner, CheckJob(job));
  MutexLock lock(mutex_);
  std::vector<TensorKey> keys;
  for (const auto& [key, tensor] : tensors_) {
    if (key.first.job != owner || key.second != name) continue;
    if (!graph.empty() && key.first.graph != graph) continue;
    if (tensor.attempt != 0) {
      return absl::FailedPreconditionError(
          absl::StrCat(NameOf(key.first, tensor.attempt), " uses tensor '",
                       TerminalLine(name), "': end it first"));
    }
    keys.push_back(key);
  }
  for (const TensorKey& key : keys) tensors_.erase(key);
  return !keys.empty();
}

v1::ListTensorsReply TensorStore::List(const std::string& job) const {
  v1::ListTensorsReply reply;
  reply.set_memory_limit(memory_.limit());
  reply.set_memory_used(memory_.used());
  std::map<TensorKey, Tensor> tensors;  // counting their rows takes time
  {
    MutexLock lock(mutex_);
    tensors = tensors_;
  }
  for (const auto& [key, tensor] : tensors) {
    if (!job.empty() && key.first.job != job) continue;
    v1::ListTensorsReply::Tensor& one = *reply.add_tensors();
    one.set_job(key.first.job);
    one.set_content_digest(key.first.graph);
    *one.mutable_spec() = tensor.spec;
    one.set_optimizer(CodeOf(tensor.table->optimizer()));
    one.set_local_rows(tensor.table->local_rows());
    one.set_written_rows(tensor.table->written_rows());
    one.set_bytes(tensor.table->bytes());
    one.set_attempt(tensor.attempt);
  }
  return reply;
}

absl::StatusOr<Reservation> TensorStore::ReserveStaging(const std::string& job,
                                                        size_t bytes) {
  return staging_.Reserve(job, bytes, "a part of a round");
}

}  // namespace tributary
