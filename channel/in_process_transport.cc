#include "channel/in_process_transport.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"

namespace tributary {
namespace {

constexpr int kClient = 0;
constexpr int kServer = 1;

class InProcessMessage final : public IncomingMessage {
 public:
  explicit InProcessMessage(const OutgoingMessage& message)
      : message_(message) {}
  MessageKind kind() const override { return message_.kind; }
  uint64_t call_id() const override { return message_.call_id; }
  std::string_view header() const override { return message_.header; }
  size_t payload_size() const override { return message_.payload.size(); }
  std::shared_ptr<SharedRoom> room() const override { return message_.room; }

  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    if (to.size() != payload_size() || std::exchange(copied_, true)) {
      return absl::InternalError(absl::StrCat(
          "payload of ", MessageKindName(kind()), ", ", payload_size(),
          " bytes: copy of ", to.size(), " bytes asked for, or a second copy"));
    }
    if (!to.empty()) std::memcpy(to.data(), message_.payload.data(), to.size());
    return absl::OkStatus();
  }

 private:
  const OutgoingMessage& message_;
  bool copied_ = false;
};

}  // namespace

// Both ends of a stream. Tasks are posted under the mutex, so that each end's
// handler is called in the order of the events; handlers are called without it.
class InProcessTransport::Link : public std::enable_shared_from_this<Link> {
 public:
  Link(Executor* executor, const InProcessOptions& options,
       std::string server_name)
      : options_(options), server_name_(std::move(server_name)) {
    for (Side& side : sides_) side.strand = std::make_shared<Strand>(executor);
  }

  void Start(std::shared_ptr<StreamHandler> client,
             std::shared_ptr<StreamAcceptor> acceptor, StreamMethod method);
  absl::Status Send(int from, OutgoingMessage message);
  // Closes both ends. `own_end`: the end that closes by its own will and so
  // receives no more messages; -1: neither.
  void Close(absl::Status why, int own_end = -1);
  size_t queued_bytes(int from);

 private:
  struct Side {
    std::shared_ptr<Strand> strand;
    std::shared_ptr<StreamHandler> handler;
    size_t queued_bytes = 0;      // sent by this side
    bool receive_closed = false;  // it has closed: receives no more messages
  };

  void Accept(StreamAcceptor& acceptor, StreamMethod method);
  void Deliver(int from, const OutgoingMessage& message);
  std::shared_ptr<StreamHandler> HandlerOf(int side);
  void CloseLocked(absl::Status why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const InProcessOptions options_;
  const std::string server_name_;
  Mutex mutex_;
  Side sides_[2] ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

class InProcessTransport::End final : public Stream {
 public:
  End(std::shared_ptr<Link> link, int side)
      : link_(std::move(link)), side_(side) {}
  ~End() override {
    link_->Close(absl::CancelledError("the stream was dropped"), side_);
  }
  absl::Status Send(OutgoingMessage message) override {
    return link_->Send(side_, std::move(message));
  }
  size_t queued_bytes() const override { return link_->queued_bytes(side_); }
  void Close(absl::Status why) override { link_->Close(std::move(why), side_); }

 private:
  const std::shared_ptr<Link> link_;
  const int side_;
};

void InProcessTransport::Link::Start(std::shared_ptr<StreamHandler> client,
                                     std::shared_ptr<StreamAcceptor> acceptor,
                                     StreamMethod method) {
  MutexLock lock(mutex_);
  sides_[kClient].handler = std::move(client);
  if (acceptor == nullptr) {
    CloseLocked(absl::UnavailableError(
        absl::StrCat(server_name_, ": nobody listens there in this process")));
    return;
  }
  sides_[kServer].strand->Post([self = shared_from_this(),
                                acceptor = std::move(acceptor),
                                method] { self->Accept(*acceptor, method); });
}

void InProcessTransport::Link::Accept(StreamAcceptor& acceptor,
                                      StreamMethod method) {
  absl::Status why = absl::UnavailableError("refused");
  // Kept until the refusal is sent, because dropping it closes the stream.
  const auto stream = std::make_shared<End>(shared_from_this(), kServer);
  auto handler =
      acceptor.Accept(method, MakeCaller("in-process"), stream, &why);
  if (handler == nullptr) {
    Close(absl::Status(why.code(),
                       absl::StrCat(server_name_, ": ", why.message())));
    return;
  }
  // This runs on the server's strand, so the OnClosed of a stream that was
  // closed in the meantime comes later.
  MutexLock lock(mutex_);
  sides_[kServer].handler = std::move(handler);
}

absl::Status InProcessTransport::Link::Send(int from, OutgoingMessage message) {
  const size_t bytes = EnvelopeBytes(message);
  absl::Status limits = CheckEnvelopeLimits(message);
  MutexLock lock(mutex_);
  if (closed_) {
    return absl::UnavailableError(
        absl::StrCat(server_name_, ": the stream has closed"));
  }
  if (!limits.ok()) {
    CloseLocked(limits);
    return limits;
  }
  Side& side = sides_[from];
  if (side.queued_bytes + bytes > options_.max_queued_bytes) {
    auto why = absl::ResourceExhaustedError(absl::StrCat(
        server_name_, ": ", side.queued_bytes, " bytes wait on the stream, ",
        bytes, " more are over max_queued_bytes=", options_.max_queued_bytes));
    CloseLocked(why);
    return why;
  }
  side.queued_bytes += bytes;
  sides_[1 - from].strand->Post(
      [self = shared_from_this(), from, message = std::move(message)] {
        self->Deliver(from, message);
      });
  return absl::OkStatus();
}

void InProcessTransport::Link::Deliver(int from,
                                       const OutgoingMessage& message) {
  if (const auto handler = HandlerOf(1 - from)) {
    InProcessMessage incoming(message);
    handler->OnMessage(incoming);
  }
  MutexLock lock(mutex_);
  sides_[from].queued_bytes -= EnvelopeBytes(message);
}

std::shared_ptr<StreamHandler> InProcessTransport::Link::HandlerOf(int side) {
  MutexLock lock(mutex_);
  return sides_[side].receive_closed ? nullptr : sides_[side].handler;
}

size_t InProcessTransport::Link::queued_bytes(int from) {
  MutexLock lock(mutex_);
  return sides_[from].queued_bytes;
}

void InProcessTransport::Link::Close(absl::Status why, int own_end) {
  MutexLock lock(mutex_);
  if (own_end >= 0) sides_[own_end].receive_closed = true;
  CloseLocked(std::move(why));
}

void InProcessTransport::Link::CloseLocked(absl::Status why) {
  if (std::exchange(closed_, true)) return;
  for (int side : {kClient, kServer}) {
    sides_[side].strand->Post([self = shared_from_this(), side, why] {
      std::shared_ptr<StreamHandler> handler;
      {
        MutexLock lock(self->mutex_);
        handler = std::exchange(self->sides_[side].handler, nullptr);
      }
      if (handler != nullptr) handler->OnClosed(why);
    });
  }
}

InProcessTransport::~InProcessTransport() {
  std::vector<std::weak_ptr<Link>> links;
  {
    MutexLock lock(mutex_);
    links.swap(links_);
  }
  for (const auto& weak : links) {
    if (const auto link = weak.lock()) {
      link->Close(absl::UnavailableError("the transport was destroyed"));
    }
  }
}

void InProcessTransport::Listen(const Address& address,
                                std::shared_ptr<StreamAcceptor> acceptor) {
  MutexLock lock(mutex_);
  acceptors_[address] = std::move(acceptor);
}

void InProcessTransport::StopListening(const Address& address) {
  std::shared_ptr<StreamAcceptor> last;  // destroyed without the lock
  MutexLock lock(mutex_);
  if (auto it = acceptors_.find(address); it != acceptors_.end()) {
    last = std::move(it->second);
    acceptors_.erase(it);
  }
}

std::shared_ptr<StreamAcceptor> InProcessTransport::AcceptorAt(
    const Address& address) {
  MutexLock lock(mutex_);
  const auto it = acceptors_.find(address);
  return it == acceptors_.end() ? nullptr : it->second;
}

void InProcessTransport::Remember(const std::shared_ptr<Link>& link) {
  MutexLock lock(mutex_);
  std::erase_if(links_, [](const auto& weak) { return weak.expired(); });
  links_.push_back(link);
}

std::shared_ptr<Stream> InProcessTransport::Connect(
    const Address& address, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  auto link = std::make_shared<Link>(executor_, options_, address.ToString());
  Remember(link);
  link->Start(std::move(handler), AcceptorAt(address), method);
  return std::make_shared<End>(std::move(link), kClient);
}

}  // namespace tributary
