#include "sampler_server/tensors/tensor_store.h"

#include <algorithm>
#include <optional>

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

// The work of listing a tensor (WorkSlice).
constexpr uint64_t kListTensor = 2'000;

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
std::string OpenerOf(const AttemptOptions* attempt) {
  return attempt == nullptr ? "another caller" : TerminalLine(attempt->caller);
}

// A placement, whose memory stays counted as long as a tensor needs it.
struct CountedPlacement {
  RowPlacement placement;
  BudgetShare::Hold memory;
};

// Returns the memory of a placement of these members: its arrays, and for each
// member an address, its shards and what the allocator adds.
size_t PlacementBytes(const std::vector<RowMember>& members) {
  constexpr size_t kMemberBytes = sizeof(RowMember) + 128;
  size_t bytes = sizeof(CountedPlacement) +
                 4 * RowPlacement::kShards * sizeof(uint16_t) + 256;
  for (const RowMember& member : members) {
    bytes += kMemberBytes + member.address.capacity();
  }
  return bytes;
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
    const v1::OpenAttemptRequest& request, const std::string& caller) const {
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
    RETURN_IF_ERROR(CheckMemberAddress(member.address()));
    options.members.push_back({member.address(), member.incarnation()});
  }
  const RowMember& self = options.members[request.member()];
  if (self.incarnation != options_.incarnation) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the server at ", TerminalLine(self.address), " is incarnation ",
        options_.incarnation, ", not ", self.incarnation,
        ": it has started again, or is another one"));
  }
  options.number = ref.attempt();
  options.world = request.world();
  options.opener = ref.client();
  options.caller = caller;
  options.rank_staging = staging_.MostOf(options.scope.job) / options.world;
  return options;
}

absl::Status TensorStore::TakeMemory(AttemptOptions& options) const {
  options.share = options_.attempts->Open(options.caller);
  ASSIGN_OR_RETURN(options.memory,
                   options.share->TryTake(Attempt::BytesOf(options)));
  auto counted = std::make_shared<CountedPlacement>(
      CountedPlacement{*options.placement, {}});
  ASSIGN_OR_RETURN(counted->memory,
                   options.share->TryTake(PlacementBytes(options.members)));
  options.placement = {counted, &counted->placement};
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Attempt>> TensorStore::CheckNewest(
    const AttemptOptions& options) const {
  const auto it = scopes_.find(options.scope);
  if (it == scopes_.end()) {
    RETURN_IF_ERROR(CheckRoomForAttempt(options.caller));
    return nullptr;
  }
  const Scope& scope = it->second;
  const AttemptOptions* const newest = scope.newest_options();
  if (scope.newest > options.number) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOf(options.scope, options.number),
                     " is older than attempt ", scope.newest, ", which ",
                     OpenerOf(newest), " has opened", kOneKeyEach));
  }
  if (scope.newest == options.number &&
      (newest == nullptr || !newest->SameAs(options))) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameOf(options.scope, options.number),
        newest == nullptr
            ? absl::StrCat(" has ended: ", scope.ended.message())
            : absl::StrCat(" is open for another client, world or members, ",
                           "those of ", OpenerOf(newest), kOneKeyEach)));
  }
  if (scope.newest == options.number && !scope.next) return scope.open;
  if (newest == nullptr) RETURN_IF_ERROR(CheckRoomForAttempt(options.caller));
  return nullptr;
}

absl::Status TensorStore::CheckRoomForAttempt(const std::string& caller) const {
  size_t open = 0;
  size_t own = 0;
  for (const auto& [key, scope] : scopes_) {
    if (scope.open == nullptr && !scope.next) continue;
    ++open;
    if (scope.newest_options()->caller == caller) ++own;
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

void TensorStore::Open(AttemptOptions options, Opened done) {
  const AttemptScope key = options.scope;
  const uint64_t number = options.number;
  const std::string caller = TerminalLine(options.caller);
  std::optional<Opening> replaced;  // by a newer one, before it was open
  std::shared_ptr<Attempt> older;
  auto found = AddOpening(std::move(options), done, replaced, older);
  if (!found.ok() || *found != nullptr) return done(std::move(found));
  const auto why = [&](const AttemptOptions& replaced_one) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameOf(key, replaced_one.number), " was replaced by attempt ", number,
        ", which ", caller, " has opened", kOneKeyEach));
  };
  if (replaced) {
    for (Opened& other : replaced->done) other(why(replaced->options));
  }
  if (older != nullptr) {
    return EndAttempt(older, why(older->options()), [] {});
  }
  OpenNext(key);
}

absl::StatusOr<std::shared_ptr<Attempt>> TensorStore::AddOpening(
    AttemptOptions options, Opened& done, std::optional<Opening>& replaced,
    std::shared_ptr<Attempt>& older) {
  MutexLock lock(mutex_);
  ASSIGN_OR_RETURN(auto found, CheckNewest(options));
  if (found != nullptr) return found;
  const auto it = scopes_.find(options.scope);
  if (it != scopes_.end() && it->second.next &&
      it->second.next->options.number == options.number) {
    it->second.next->done.push_back(std::move(done));
    return found;
  }
  if (draining()) {
    return absl::UnavailableError(
        "this server is draining and opens no attempts");
  }
  RETURN_IF_ERROR(TakeMemory(options));
  ASSIGN_OR_RETURN(std::shared_ptr<const void> pin,
                   environment_.pin_graph(options.scope.graph));
  Scope& scope = scopes_[options.scope];
  replaced = std::exchange(scope.next, std::nullopt);
  older = scope.open;
  scope.newest = options.number;
  scope.next.emplace();
  scope.next->options = std::move(options);
  scope.next->pin = std::move(pin);
  scope.next->done.push_back(std::move(done));
  return found;
}

// Forgets the numbers of some scopes that have no attempt, beyond kMaxScopes.
void TensorStore::ForgetScopes() {
  for (auto it = scopes_.begin();
       scopes_.size() > kMaxScopes && it != scopes_.end();) {
    it = it->second.idle() ? scopes_.erase(it) : std::next(it);
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
      return absl::FailedPreconditionError(absl::StrCat(
          NameOf(key, ref.attempt()), " is not open; attempt ",
          it->second.newest, " is the newest, which ",
          OpenerOf(it->second.newest_options()), " has opened", kOneKeyEach));
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
        " is, which ", OpenerOf(&attempt->options()), " has opened",
        kOneKeyEach));
  }
  absl::Status admitted = attempt->Admit(ref.rank(), ref.client());
  if (ref.attempt() == 0 && absl::IsFailedPrecondition(admitted)) {
    return absl::NotFoundError(
        absl::StrCat(admitted.message(), ", and rank 0 has not opened one"));
  }
  RETURN_IF_ERROR(admitted);
  return attempt;
}

void TensorStore::Close(const v1::AttemptRef& ref, Closed done) {
  const auto attempt = Find(ref);
  if (!attempt.ok()) return done(attempt.status());
  if (ref.rank() != 0) {
    return done(absl::InvalidArgumentError(
        absl::StrCat("rank ", ref.rank(), " closes an attempt; rank 0 does")));
  }
  EndAttempt(*attempt,
             absl::FailedPreconditionError(
                 absl::StrCat(NameOf((*attempt)->scope(), (*attempt)->number()),
                              " was closed by its rank 0")),
             [done = std::move(done)]() mutable { done(absl::OkStatus()); });
}

void TensorStore::EndAttempt(const std::shared_ptr<Attempt>& attempt,
                             const absl::Status& why,
                             absl::AnyInvocable<void()> over) {
  {
    MutexLock lock(mutex_);
    const auto it = scopes_.find(attempt->scope());
    if (it != scopes_.end() && it->second.open == attempt) {
      it->second.open = nullptr;
      it->second.ended = why;
      it->second.ending = attempt;
    }
  }
  attempt->End(why, [self = shared_from_this(), attempt,
                     over = std::move(over)]() mutable {
    self->OnOver(attempt);
    over();
  });
}

void TensorStore::OnOver(const std::shared_ptr<Attempt>& attempt) {
  std::vector<std::shared_ptr<TensorTable>> dropped;
  {
    MutexLock lock(mutex_);
    const auto it = scopes_.find(attempt->scope());
    if (it == scopes_.end() || it->second.ending != attempt) return;
    it->second.ending = nullptr;
    dropped = DropTensorsOf(attempt->scope());
  }
  dropped.clear();  // before an attempt that may want their memory
  OpenNext(attempt->scope());
}

void TensorStore::OpenNext(const AttemptScope& key) {
  std::shared_ptr<Attempt> attempt;
  std::vector<Opened> done;
  {
    MutexLock lock(mutex_);
    Scope& scope = scopes_[key];
    if (scope.ending != nullptr || !scope.next) return;
    Opening next = *std::exchange(scope.next, std::nullopt);
    attempt = std::make_shared<Attempt>(
        std::move(next.options), std::move(next.pin), environment_.executor);
    done = std::move(next.done);
    scope.open = attempt;
    ForgetScopes();
  }
  for (Opened& opened : done) opened(attempt);
}

std::vector<std::shared_ptr<TensorTable>> TensorStore::DropTensorsOf(
    const AttemptScope& scope) {
  std::vector<std::shared_ptr<TensorTable>> dropped;
  for (auto it = tensors_.lower_bound({scope, ""});
       it != tensors_.end() && it->first.first == scope;) {
    if (!it->second.spec.persistent()) {
      dropped.push_back(std::move(it->second.table));
      it = tensors_.erase(it);
      continue;
    }
    it->second.attempt = 0;
    ++it;
  }
  return dropped;
}

std::shared_ptr<const void> TensorStore::Use(Attempt& attempt) {
  return attempt.Use(
      [weak = weak_from_this()](std::shared_ptr<Attempt> unused) {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->EndUnusedAfter(self->options_.unused_timeout, std::move(unused));
      });
}

// An attempt has one timer at most, however often its streams come and go. The
// timer keeps it, so that its memory stays counted.
void TensorStore::EndUnusedAfter(absl::Duration after,
                                 std::shared_ptr<Attempt> attempt) {
  environment_.executor->PostAfter(
      after, [weak = weak_from_this(), attempt = std::move(attempt)] {
        if (const auto self = weak.lock()) self->EndUnused(attempt);
      });
}

void TensorStore::EndUnused(const std::shared_ptr<Attempt>& attempt) {
  const std::optional<absl::Duration> idle = attempt->Idle();
  if (!idle.has_value()) return;
  if (*idle < options_.unused_timeout) {
    return EndUnusedAfter(options_.unused_timeout - *idle, attempt);
  }
  EndAttempt(attempt,
             absl::FailedPreconditionError(absl::StrCat(
                 NameOf(attempt->scope(), attempt->number()),
                 " has ended: none of its ranks was connected for ",
                 absl::FormatDuration(options_.unused_timeout))),
             [] {});
}

void TensorStore::EndAll(const absl::Status& why) {
  std::vector<std::shared_ptr<Attempt>> open;
  std::vector<Opening> next;
  {
    MutexLock lock(mutex_);
    for (auto& [key, scope] : scopes_) {
      if (scope.open != nullptr) open.push_back(scope.open);
      if (scope.next) next.push_back(*std::exchange(scope.next, std::nullopt));
    }
  }
  for (Opening& opening : next) {
    for (Opened& done : opening.done) done(why);
  }
  for (const auto& attempt : open) EndAttempt(attempt, why, [] {});
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
                                     const v1::TensorSpec& spec, Tensor& tensor,
                                     ZeroedMemory& rounds) {
  if (tensor.spec.SerializeAsString() != spec.SerializeAsString()) {
    return absl::AlreadyExistsError(absl::StrCat(
        "tensor '", TerminalLine(spec.name()), "' exists as {",
        TerminalLine(tensor.spec.ShortDebugString()), "}, asked for as {",
        TerminalLine(spec.ShortDebugString()), "}"));
  }
  if (tensor.attempt == attempt.number()) return absl::OkStatus();
  rounds = tensor.table->ForgetRounds();
  tensor.attempt = attempt.number();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<TensorTable>> TensorStore::Create(
    Attempt& attempt, const v1::TensorSpec& spec, bool* existed) {
  RETURN_IF_ERROR(CheckTensorSpec(spec).status());
  std::shared_ptr<TensorTable> table;
  ZeroedMemory rounds;  // goes back to the system without the lock
  RETURN_IF_ERROR(attempt.WhileOpen([&]() -> absl::Status {
    MutexLock lock(mutex_);
    const TensorKey key{attempt.scope(), spec.name()};
    auto it = tensors_.find(key);
    *existed = it != tensors_.end();
    if (*existed) {
      RETURN_IF_ERROR(FindTensor(attempt, spec, it->second, rounds));
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
  Tensor dropped;  // destroyed without the lock: its table may be large
  RETURN_IF_ERROR(attempt.WhileOpen([&] {
    MutexLock lock(mutex_);
    const auto it = tensors_.find({attempt.scope(), name});
    if (it != tensors_.end()) {
      dropped = std::move(it->second);
      tensors_.erase(it);
    }
    attempt.Remove(name);
    return absl::OkStatus();
  }));
  return dropped.table != nullptr;
}

absl::StatusOr<bool> TensorStore::DropForOperator(const std::string& job,
                                                  const std::string& graph,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(const std::string owner, CheckJob(job));
  std::vector<Tensor> dropped;  // destroyed without the lock
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
  for (const TensorKey& key : keys) {
    dropped.push_back(std::move(tensors_.extract(key).mapped()));
  }
  return !keys.empty();
}

bool TensorStore::ListSome(TensorList& list, WorkSlice& slice) const {
  list.reply.set_memory_limit(memory_.limit());
  list.reply.set_memory_used(memory_.used());
  while (!slice.used_up()) {
    Tensor tensor;
    {
      MutexLock lock(mutex_);
      const auto it =
          list.last ? tensors_.upper_bound(*list.last)
                    : tensors_.lower_bound({AttemptScope{list.job, ""}, ""});
      const bool is_over =
          it == tensors_.end() ||
          (!list.job.empty() && it->first.first.job != list.job);
      if (is_over) return true;
      list.last = it->first;
      tensor = it->second;
    }
    auto& one = *list.reply.add_tensors();
    one.set_job(list.last->first.job);
    one.set_content_digest(list.last->first.graph);
    *one.mutable_spec() = std::move(tensor.spec);
    one.set_optimizer(CodeOf(tensor.table->optimizer()));
    one.set_local_rows(tensor.table->local_rows());
    one.set_written_rows(tensor.table->written_rows());
    one.set_bytes(tensor.table->bytes());
    one.set_attempt(tensor.attempt);
    // Copied twice, and serialized with the reply.
    slice.Spend(kListTensor + one.ByteSizeLong());
  }
  return false;
}

absl::StatusOr<StagedMemory> TensorStore::ReserveStaging(const Attempt& attempt,
                                                         size_t bytes) {
  return staging_.Reserve(attempt.scope().job, attempt.options().caller, bytes);
}

}  // namespace tributary
