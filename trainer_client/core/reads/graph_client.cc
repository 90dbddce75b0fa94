#include "trainer_client/core/reads/graph_client.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "partition/schema/schema.h"

namespace tributary {
namespace {

MessageKind ReplyTo(MessageKind request) {
  return static_cast<MessageKind>(static_cast<uint16_t>(request) + 1);
}

// Whether this server will not answer the request, now or later.
bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         absl::IsNotFound(status) || absl::IsFailedPrecondition(status) ||
         absl::IsUnimplemented(status) || absl::IsDataLoss(status) ||
         absl::IsInternal(status) || absl::IsPermissionDenied(status) ||
         absl::IsUnauthenticated(status);
}

}  // namespace

GraphClient::GraphClient(GraphClientOptions options,
                         std::shared_ptr<ServerFleet> fleet)
    : options_(std::move(options)), fleet_(std::move(fleet)) {}

GraphClient::~GraphClient() = default;

void GraphClient::Read(std::vector<GraphRead> reads, absl::Time deadline,
                       Done done) {
  if (closed_ || reads.empty()) {
    options_.strand->Post([done = std::move(done), closed = closed_]() mutable {
      if (!closed) return done(Replies());
      done(absl::CancelledError("the graph's connection is closed"));
    });
    return;
  }
  auto task = std::make_shared<Task>();
  task->reads = std::move(reads);
  task->replies.resize(task->reads.size());
  task->missing = task->reads.size();
  task->done = std::move(done);
  task->deadline = deadline;
  task->deadline_timer =
      options_.strand->PostAt(deadline, [weak = weak_from_this(), task] {
        auto self = weak.lock();
        if (self == nullptr) return;
        self->Finish(
            task,
            absl::DeadlineExceededError(absl::StrCat(
                "the graph was not read in time; ", task->missing, " of ",
                task->reads.size(), " calls are open; last trouble: ",
                task->last_error.ok() ? "none" : task->last_error.ToString(),
                "; servers: ", self->fleet_->ToString())));
      });
  tasks_.insert(task);
  for (size_t i = 0; i < task->reads.size(); ++i) {
    waiting_.push_back({.task = task, .read = i});
  }
  Pump();
}

void GraphClient::Close() {
  closed_ = true;
  const auto tasks = tasks_;
  for (const auto& task : tasks) {
    Finish(task, absl::CancelledError("the graph's connection is closed"));
  }
  servers_.clear();
}

void GraphClient::Pump() {
  for (auto call = waiting_.begin(); call != waiting_.end();) {
    if (!call->task->done) {  // it is over
      call = waiting_.erase(call);
    } else if (call->not_before > options_.strand->Now()) {
      PumpAt(call->not_before);
      ++call;
    } else if (Start(*call)) {
      call = waiting_.erase(call);
    } else {
      ++call;
    }
  }
}

void GraphClient::PumpAt(absl::Time when) {
  if (pump_at_ <= when) return;
  pump_at_ = when;
  options_.strand->PostAt(when, [weak = weak_from_this(), when] {
    auto self = weak.lock();
    if (self == nullptr) return;
    if (self->pump_at_ == when) self->pump_at_ = absl::InfiniteFuture();
    self->Pump();
  });
}

bool GraphClient::Start(Waiting& call) {
  bool any = false;
  ServerLink* link = Choose(call, &any);
  if (link != nullptr) {
    Send(*link, std::move(call));
    return true;
  }
  if (any) return false;  // goes on when a call has ended
  if (MayFail(call)) {
    options_.strand->Post(
        [self = shared_from_this(), task = call.task,
         error = call.refused.Error()] { self->Finish(task, error); });
    return true;
  }
  PumpAt(options_.strand->Now() + options_.pause);
  return false;
}

// No owner that is up is left to be asked. One that is down may come back.
bool GraphClient::MayFail(const Waiting& call) const {
  if (call.refused.empty()) return false;
  const std::vector<Address> refused = call.refused.servers();
  return refused.size() > 1 ||
         !fleet_->AnyOwnerMayComeBeside(refused,
                                        call.task->reads[call.read].partition);
}

std::vector<ServerLink*> GraphClient::Eligible(const Waiting& call) {
  const std::vector<Address> refused = call.refused.servers();
  const auto& partition = call.task->reads[call.read].partition;
  std::vector<ServerLink*> eligible;
  for (ServerLink* link : fleet_->Up()) {
    const auto& owned = link->description().partitions;
    if (std::count(refused.begin(), refused.end(), link->address()) > 0 ||
        !HasLayout(*link)) {
      continue;
    }
    if (partition.has_value() &&
        std::find(owned.begin(), owned.end(), *partition) == owned.end()) {
      continue;
    }
    eligible.push_back(link);
  }
  return eligible;
}

ServerLink* GraphClient::Choose(const Waiting& call, bool* any) {
  std::vector<ServerLink*> eligible = Eligible(call);
  *any = !eligible.empty();
  const uint32_t turn = call.task->reads[call.read].turn;
  if (turn > 0 && *any) eligible = {eligible[(turn - 1) % eligible.size()]};
  ServerLink* best = nullptr;
  std::pair<bool, size_t> best_cost;
  for (ServerLink* link : eligible) {
    const size_t open = servers_[link->address()].open;
    if (open >= options_.max_outstanding) continue;
    const std::pair<bool, size_t> cost(call.avoid == link->address(), open);
    if (best == nullptr || cost < best_cost) {
      best = link;
      best_cost = cost;
    }
  }
  return best;
}

bool GraphClient::HasLayout(ServerLink& link) {
  Server& server = servers_[link.address()];
  const ServerDescription& description = link.description();
  if (server.incarnation != description.incarnation) {
    server.incarnation = description.incarnation;
    server.right_layout = description.layout_digest == options_.layout;
  }
  return server.right_layout;
}

void GraphClient::Send(ServerLink& link, Waiting call) {
  const Address address = link.address();
  Server& server = servers_[address];
  if (server.client == nullptr || !server.client->open()) {
    server.client = std::make_unique<CallClient>(options_.transport, address,
                                                 StreamMethod::kData,
                                                 options_.strand->executor());
    ++server.stream;
  }
  call.stream = server.stream;
  ++server.open;
  ++calls_made_;
  const auto task = call.task;
  const size_t read = call.read;
  const GraphRead& asked = task->reads[read];
  const auto owner = std::shared_ptr<const void>(task, task.get());
  const absl::Time deadline =
      std::min(task->deadline, options_.strand->Now() + options_.call_timeout);
  const auto id = std::make_shared<CallClient::CallId>(0);
  *id = server.client->Call(
      {asked.kind, asked.header, asked.payload, owner}, deadline,
      asked.reply_bytes,
      [weak = weak_from_this(), strand = options_.strand, address, id,
       call = std::move(call)](absl::StatusOr<CallReply> reply) mutable {
        strand->Post([weak, address, id, call = std::move(call),
                      reply = std::move(reply)]() mutable {
          auto self = weak.lock();
          if (self == nullptr) return;
          call.task->open.erase({address, *id});
          self->OnReply(address, std::move(call), std::move(reply));
        });
      });
  task->open[{address, *id}] = read;
}

void GraphClient::OnReply(const Address& address, Waiting call,
                          absl::StatusOr<CallReply> reply) {
  bool broken = true;
  const auto server = servers_.find(address);
  if (server != servers_.end()) {
    if (server->second.open > 0) --server->second.open;
    broken =
        server->second.stream != call.stream || !server->second.client->open();
  }
  if (call.task->done) {
    if (reply.ok()) {
      TakeReply(std::move(call), *std::move(reply), address);
    } else {
      Retry(std::move(call), address, reply.status(), broken);
    }
  }
  Pump();
}

void GraphClient::TakeReply(Waiting call, CallReply reply,
                            const Address& address) {
  Task& task = *call.task;
  const GraphRead& asked = task.reads[call.read];
  if (reply.kind != ReplyTo(asked.kind) ||
      reply.payload.size() != asked.reply_bytes) {
    const absl::Status status = absl::InternalError(
        absl::StrCat(MessageKindName(asked.kind), " was answered by ",
                     MessageKindName(reply.kind), " of ", reply.payload.size(),
                     " bytes instead of ", asked.reply_bytes));
    return Retry(std::move(call), address, status, /*broken=*/false);
  }
  task.replies[call.read] = std::move(reply.payload);
  if (--task.missing == 0) Finish(call.task, absl::OkStatus());
}

void GraphClient::Retry(Waiting call, const Address& address,
                        const absl::Status& status, bool broken) {
  call.task->last_error = SaidBy(address, status);
  if (!broken && IsRefusal(status)) {
    call.refused.Add(address, status);
    call.task->last_error = call.refused.Error();
  } else {
    call.avoid = address;
    call.not_before = options_.strand->Now() + options_.pause;
  }
  waiting_.push_back(std::move(call));
}

void GraphClient::Finish(const std::shared_ptr<Task>& task,
                         absl::Status status) {
  if (tasks_.erase(task) == 0) return;
  options_.strand->CancelTimer(task->deadline_timer);
  const auto open = std::move(task->open);
  for (const auto& [call, read] : open) {
    const auto server = servers_.find(call.first);
    if (server == servers_.end() || server->second.client == nullptr) continue;
    server->second.client->Cancel(call.second);
  }
  Done done = std::exchange(task->done, nullptr);
  if (!status.ok()) return done(std::move(status));
  done(std::move(task->replies));
}

}  // namespace tributary
