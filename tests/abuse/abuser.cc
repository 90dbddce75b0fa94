// A hostile client of a real server. Commits the abuses until it is ended, and
// prints "ready" once it has sent for the first time. It reads what arrives;
// stop it by SIGSTOP to have it read nothing.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/fleet/address.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/promised.h"
#include "partition/format/graph.h"
#include "tests/abuse/abuse.h"
#include "tests/abuse/hostile_transport.h"

namespace tributary {
namespace {

constexpr std::chrono::milliseconds kSendsEvery{50};

class End final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage&) override {}
  void OnClosed(const absl::Status&) override { closed = true; }
  std::atomic<bool> closed = false;
};

// Asks the server which process it is.
class Asking final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override {
    const auto reply = ParseHeader<v1::DescribeReply>(message);
    Tell(reply.ok() ? reply->incarnation() : 0);
  }
  void OnClosed(const absl::Status&) override { Tell(0); }
  // Returns 0 if it does not say.
  uint64_t Incarnation(Transport& transport, const Address& server,
                       const std::shared_ptr<Asking>& self) {
    const auto stream = transport.Connect(server, StreamMethod::kControl, self);
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    request.set_any(true);
    OutgoingMessage message;
    message.kind = MessageKind::kDescribeRequest;
    message.call_id = 1;
    message.header = request.SerializeAsString();
    if (!stream->Send(std::move(message)).ok()) return 0;
    const auto told = told_.Wait(absl::Seconds(30));
    stream->Close(absl::OkStatus());
    return told.value_or(0);
  }

 private:
  void Tell(uint64_t incarnation) {
    if (!said_.exchange(true)) told_.Set(incarnation);
  }

  std::atomic<bool> said_ = false;
  Promised<uint64_t> told_;
};

struct OpenStream {
  StreamMethod method;
  std::shared_ptr<End> end;
  std::shared_ptr<Stream> stream;
};

class Abuser {
 public:
  Abuser(Abuse abuse, Address server, const GraphSchema* schema,
         std::unique_ptr<NetworkTransport> transport, bool names_jobs,
         int at_once)
      : abuse_(abuse),
        server_(std::move(server)),
        transport_(std::move(transport)),
        messages_(schema, names_jobs),
        at_once_(at_once) {}

  // Returns false if the server does not say which process it is.
  bool Ask() {
    const auto asking = std::make_shared<Asking>();
    const uint64_t incarnation =
        asking->Incarnation(*transport_, server_, asking);
    messages_.set_incarnation(incarnation);
    return incarnation != 0;
  }

  void Act() {
    std::erase_if(open_, [](const auto& s) { return s.end->closed.load(); });
    for (const AbusedStreams& streams : StreamsOf(abuse_)) Use(streams);
  }

 private:
  void Use(const AbusedStreams& streams) {
    size_t open = 0;
    for (const OpenStream& s : open_) open += s.method == streams.method;
    const size_t wanted =
        std::max(streams.streams, open + streams.more_each_time);
    for (; open < wanted; ++open) {
      auto end = std::make_shared<End>();
      auto stream = transport_->Connect(server_, streams.method, end);
      open_.push_back({streams.method, std::move(end), std::move(stream)});
    }
    for (const OpenStream& s : open_) {
      if (s.method != streams.method) continue;
      for (auto& message : messages_.Next(abuse_, s.method, at_once_)) {
        if (!s.stream->Send(std::move(message)).ok()) break;
      }
    }
  }

  const Abuse abuse_;
  const Address server_;
  const std::unique_ptr<NetworkTransport> transport_;
  AbuseMessages messages_;
  const int at_once_;
  std::vector<OpenStream> open_;
};

int Main(int argc, char** argv) {
  CLI::App app("A hostile client");
  int64_t abuse = 0;
  int at_once = 50;
  std::string server, graph_folder;
  HostileTransport over;
  app.add_option("--abuse", abuse, "A number of Abuse")->required();
  app.add_option("--server", server)->required();
  app.add_option("--graph", graph_folder, "The server's graph")->required();
  app.add_option("--at-once", at_once, "Messages on each stream each time");
  over.AddFlags(app);
  CLI11_PARSE(app, argc, argv);
  const auto address = ParseAddress(server);
  const auto graph = Graph::Open(graph_folder);
  auto transport = over.Make();
  if (!address.ok() || !graph.ok() || !transport.ok()) {
    std::fprintf(stderr, "%s %s %s\n", address.status().ToString().c_str(),
                 graph.status().ToString().c_str(),
                 transport.status().ToString().c_str());
    return 1;
  }
  Abuser abuser(static_cast<Abuse>(abuse), *address, &(*graph)->schema(),
                *std::move(transport),
                /*names_jobs=*/over.options.tls.empty(), at_once);
  if (abuse == kRowMemory && !abuser.Ask()) {
    std::fprintf(stderr, "the server does not say which process it is\n");
    return 1;
  }
  for (bool first = true;; first = false) {
    abuser.Act();
    if (first) {
      std::printf("ready\n");
      std::fflush(stdout);
    }
    std::this_thread::sleep_for(kSendsEvery);  // it goes on until it is ended
  }
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
