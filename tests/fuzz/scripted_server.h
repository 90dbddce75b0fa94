// The server's end of a trainer's streams, for a fuzzer to answer on.
#ifndef TRIBUTARY_TESTS_FUZZ_SCRIPTED_SERVER_H_
#define TRIBUTARY_TESTS_FUZZ_SCRIPTED_SERVER_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "channel/envelope.h"
#include "channel/transport.h"
#include "common/proto/wire.pb.h"

namespace tributary {

// Accepts every stream, answers nothing itself, and keeps the latest credits
// and calls for a script to answer. Not thread-safe.
class ScriptedServer final : public StreamAcceptor {
 public:
  // A credit or a call that has arrived.
  struct Asked {
    std::shared_ptr<Stream> stream;
    MessageKind kind{};
    uint64_t call_id = 0;
    std::string header;
  };

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    return std::make_shared<Handler>(this, method, std::move(stream));
  }

  // Drops the streams that it keeps.
  void Forget() {
    credits.clear();
    calls.clear();
    batches.reset();
  }

  std::deque<Asked> credits;        // oldest first
  std::deque<Asked> calls;          // of control streams, oldest first
  std::shared_ptr<Stream> batches;  // the batch stream opened last
  // If set, receives each call on arrival; no call is kept then.
  std::function<void(const Asked&)> on_call;
  // Likewise for credits.
  std::function<void(const Asked&)> on_credit;

 private:
  static constexpr size_t kMaxKept = 64;  // of credits and of calls

  class Handler final : public StreamHandler {
   public:
    Handler(ScriptedServer* server, StreamMethod method,
            std::shared_ptr<Stream> stream)
        : server_(server), method_(method), stream_(std::move(stream)) {
      if (method_ == StreamMethod::kBatches) server_->batches = stream_;
    }
    void OnMessage(IncomingMessage& message) override {
      const Asked asked{stream_, message.kind(), message.call_id(),
                        std::string(message.header())};
      if (method_ != StreamMethod::kBatches && server_->on_call) {
        return server_->on_call(asked);
      }
      if (method_ == StreamMethod::kBatches &&
          message.kind() != MessageKind::kCredit) {
        return;
      }
      if (method_ == StreamMethod::kBatches && server_->on_credit) {
        return server_->on_credit(asked);
      }
      auto& kept =
          method_ == StreamMethod::kBatches ? server_->credits : server_->calls;
      kept.push_back(asked);
      if (kept.size() > kMaxKept) kept.pop_front();
    }
    void OnClosed(const absl::Status&) override {
      if (server_->batches == stream_) server_->batches.reset();
      const auto ours = [this](const Asked& asked) {
        return asked.stream == stream_;
      };
      std::erase_if(server_->credits, ours);
      std::erase_if(server_->calls, ours);
      stream_.reset();
    }

   private:
    ScriptedServer* const server_;
    const StreamMethod method_;
    std::shared_ptr<Stream> stream_;
  };
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_SCRIPTED_SERVER_H_
