#include "channel/transports/carrier_transport.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/runtime/clock.h"

namespace tributary {

// Passes everything on, and tells the book how the stream ended.
class CarrierTransport::Watched final : public StreamHandler {
 public:
  Watched(std::shared_ptr<Book> book, Address address, bool tcp,
          std::shared_ptr<StreamHandler> handler)
      : book_(std::move(book)),
        address_(std::move(address)),
        tcp_(tcp),
        handler_(std::move(handler)) {}

  PayloadRoom RoomFor(const IncomingMessage& message) override {
    return handler_->RoomFor(message);
  }
  void OnMessage(IncomingMessage& message) override {
    heard_ = true;
    handler_->OnMessage(message);
  }
  void OnClosed(const absl::Status& why) override {
    std::string note;
    bool refuses = false;
    {
      MutexLock lock(book_->mutex);
      note = book_->book.NoteEnd(address_, {tcp_, heard_, why},
                                 SteadyClock().Now());
      refuses = tcp_ && !heard_ && book_->book.RefusesTcp(address_);
    }
    if (!note.empty()) {
      LogRepeated(LogLevel::kWarning, "carrier", address_.ToString(), note);
    }
    if (!refuses || why.ok()) return handler_->OnClosed(why);
    handler_->OnClosed(absl::Status(
        why.code(),
        absl::StrCat(why.message(),
                     "; this server takes no streams over TCP: it is older, or "
                     "serves with --transport grpc; use --transport auto")));
  }

 private:
  const std::shared_ptr<Book> book_;
  const Address address_;
  const bool tcp_;
  const std::shared_ptr<StreamHandler> handler_;
  bool heard_ = false;  // calls of a handler are made one at a time
};

CarrierTransport::CarrierTransport(const NetworkTransportOptions& options)
    : options_(options),
      book_(std::make_shared<Book>(options.carrier)),
      grpc_(options) {}

CarrierTransport::~CarrierTransport() { Shutdown(); }

void CarrierTransport::NoteTakesTcp(const Address& address,
                                    uint64_t incarnation, bool takes) {
  MutexLock lock(book_->mutex);
  book_->book.NoteTakesTcp(address, incarnation, takes);
}

TcpTransport* CarrierTransport::Tcp() {
  MutexLock lock(mutex_);
  if (shut_down_) return nullptr;
  if (std::exchange(tried_tcp_, true)) return tcp_.get();
  auto started = TcpTransport::Start(options_);
  if (started.ok()) {
    tcp_ = *std::move(started);
  } else {
    Log(LogLevel::kWarning, absl::StrCat("streams go over gRPC, not TCP: ",
                                         started.status().ToString()));
  }
  return tcp_.get();
}

std::shared_ptr<Stream> CarrierTransport::Connect(
    const Address& address, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  if (method == StreamMethod::kControl) {
    return grpc_.Connect(address, method, std::move(handler));
  }
  bool chosen = false;
  {
    MutexLock lock(book_->mutex);
    chosen = book_->book.ChoosesTcp(address, method, SteadyClock().Now());
  }
  TcpTransport* const tcp = chosen ? Tcp() : nullptr;
  auto watched = std::make_shared<Watched>(book_, address, tcp != nullptr,
                                           std::move(handler));
  if (tcp != nullptr) {
    return tcp->Connect(address, method, std::move(watched));
  }
  return grpc_.Connect(address, method, std::move(watched));
}

void CarrierTransport::Shutdown() {
  TcpTransport* tcp = nullptr;
  {
    MutexLock lock(mutex_);
    shut_down_ = true;
    tcp = tcp_.get();
  }
  if (tcp != nullptr) tcp->Shutdown();
  grpc_.Shutdown();
}

}  // namespace tributary
