// Whatever a peer answers: a server that asks it for hops and rows either makes
// the batch or fails it, in time and within its budget, and once the peer
// answers well again makes it as if nothing had been. An input is a script
// (script.h) of what happens to each of the peer's answers:
//
//   changes, payload  to the answer's header; in place of its payload
//   w number text     write the text into the payload, at that offset
//   v number number   write a 64-bit value there
//   t number          cut the payload to so many bytes
//   k number          another kind
//   i number          to another call
//   e number text     a CallError of that code instead
//   p number          so many times more
//   s                 no answer at all
//   q                 the stream is closed instead
//   ;                 that is all for this answer
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "channel/envelope.h"
#include "channel/testing/sim_network.h"
#include "common/proto/wire.pb.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/peers/peer_partitions.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/scripted_trainer.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/service_world.h"

namespace tributary {
namespace {

constexpr uint64_t kMostRepeats = 100;
constexpr uint64_t kMostEvents = 2000000;

std::unique_ptr<google::protobuf::Message> HeaderOf(MessageKind kind) {
  switch (kind) {
    case MessageKind::kDescribeReply:
      return std::make_unique<v1::DescribeReply>();
    case MessageKind::kSampleHopReply:
      return std::make_unique<v1::SampleHopReply>();
    case MessageKind::kGatherReply:
      return std::make_unique<v1::GatherReply>();
    default:
      return std::make_unique<v1::CallError>();
  }
}

// Passes the answers of an honest service on, changed by the script for as
// long as there is one.
class LyingStream final : public Stream {
 public:
  LyingStream(std::shared_ptr<Stream> stream, Script* script)
      : stream_(std::move(stream)), script_(script) {}

  absl::Status Send(OutgoingMessage message) override {
    if (script_->done()) return stream_->Send(std::move(message));
    auto header = HeaderOf(message.kind);
    header->ParseFromString(message.header);
    script_->Change(*header);
    message.header = header->SerializeAsString();
    std::string payload = script_->Payload();
    if (payload.empty()) {
      payload.assign(message.payload.begin(), message.payload.end());
    }
    uint64_t times = 1;
    while (!script_->done()) {
      const char what = script_->Take();
      if (what == ';') break;
      if (what == 's') times = 0;
      if (what == 'p') times += std::min(script_->Number(), kMostRepeats);
      if (what == 'q') stream_->Close(absl::UnavailableError("so it says"));
      Change(what, message, payload);
    }
    for (; times > 0; --times) SendOne(message, payload);
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return stream_->queued_bytes(); }
  void Close(absl::Status why) override { stream_->Close(std::move(why)); }

 private:
  void Change(char what, OutgoingMessage& message, std::string& payload) {
    switch (what) {
      case 'w': {
        const uint64_t at = script_->Number();
        const std::string text = script_->Text();
        if (at < payload.size()) {
          payload.replace(at, std::min(text.size(), payload.size() - at), text,
                          0, payload.size() - at);
        }
        return;
      }
      case 'v': {
        const uint64_t at = script_->Number(), value = script_->Number();
        if (payload.size() >= sizeof(value) &&
            at <= payload.size() - sizeof(value)) {
          std::memcpy(&payload[at], &value, sizeof(value));
        }
        return;
      }
      case 't':
        payload.resize(std::min<uint64_t>(payload.size(), script_->Number()));
        return;
      case 'k':
        message.kind = static_cast<MessageKind>(script_->Number());
        return;
      case 'i':
        message.call_id = script_->Number();
        return;
      case 'e': {
        v1::CallError error;
        error.set_code(static_cast<int32_t>(script_->Number()));
        error.set_message(script_->Text());
        message.kind = MessageKind::kCallError;
        message.header = error.SerializeAsString();
        payload.clear();
        return;
      }
      default:
        return;
    }
  }

  void SendOne(const OutgoingMessage& message, const std::string& payload) {
    OutgoingMessage sent =
        MakeMessage(message.kind, message.call_id, message.header, payload);
    if (!CheckEnvelopeLimits(sent).ok()) return;
    stream_->Send(std::move(sent)).IgnoreError();
  }

  const std::shared_ptr<Stream> stream_;
  Script* const script_;
};

class LyingAcceptor final : public StreamAcceptor {
 public:
  LyingAcceptor(StreamAcceptor* honest, Script* script)
      : honest_(honest), script_(script) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, std::string peer,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    return honest_->Accept(
        method, std::move(peer),
        std::make_shared<LyingStream>(std::move(stream), script_), why);
  }

 private:
  StreamAcceptor* const honest_;
  Script* const script_;
};

// A server with partition 0, its peer with all, a trainer.
class World {
 public:
  explicit World(Script script) : script_(script) {
    PeerDirectoryOptions directory;
    directory.schema = FuzzGraph()->schema();
    directory.own_incarnation = 1;
    directory_ = std::make_shared<PeerDirectory>(
        directory, network_.TransportOf(server_), server_);
    partitions_ =
        std::make_unique<PeerPartitions>(FuzzGraph()->schema(), directory_);
    service_ = MakeService(HalfOfFuzzGraph(), 1, server_, partitions_.get());
    peer_service_ = MakeService(FuzzGraph(), 2, peer_, nullptr);
    liar_ = std::make_unique<LyingAcceptor>(peer_service_.get(), &script_);
    network_.Listen(server_, {"server", 1}, service_.get());
    network_.Listen(peer_, {"peer", 1}, liar_.get());
    directory_->SetListed({{"server", 1}, {"peer", 1}});
    trainer_ =
        ScriptedTrainer::Connect(network_.TransportOf(client_), {"server", 1});
  }

  // The answer to a batch that is asked for as the peer does what the script
  // says, and then to one after that.
  std::pair<std::string, std::string> Batches() {
    SpecOptions options;
    options.batch_size = 4;
    options.shuffle = ShuffleMode::kNone;
    options.num_neighbors.by_default = {2, -1};
    const TrainerSession session =
        MakeSession(FuzzGraph()->schema(), options, {0, 3, 5, 1, 0, 3, 5, 1});
    trainer_->Open(session);
    Run(absl::Seconds(1));
    trainer_->Ask(session, 0);
    Run(absl::Seconds(15));
    script_ = Script({});
    Run(absl::Seconds(5));
    trainer_->Ask(session, 1);
    Run(absl::Seconds(15));
    return {trainer_->answer(0), trainer_->answer(1)};
  }

  void Close() {
    trainer_->Close();
    bool stopped = false;
    directory_->Stop([&stopped] { stopped = true; });
    Must(world_.Drain(kMostEvents), "the servers come to rest");
    Must(stopped && service_->active() == 0, "nothing is left");
    for (SamplerService* service : {service_.get(), peer_service_.get()}) {
      Must(service->budget().used() == 0 && service->leaf_budget().used() == 0,
           "the budgets are whole again");
    }
  }

 private:
  std::unique_ptr<SamplerService> MakeService(
      std::shared_ptr<const Graph> graph, uint64_t incarnation,
      SimExecutor* executor, RemotePartitions* remote) {
    SamplerServiceOptions options;
    options.graph = std::move(graph);
    options.incarnation = incarnation;
    options.memory_budget = size_t{64} << 10;
    options.leaf_budget = size_t{64} << 10;
    SamplerServiceEnvironment environment;
    environment.executor = executor;
    environment.leaf_executor = executor;
    environment.remote = remote;
    return std::make_unique<SamplerService>(options, environment);
  }

  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    Must(world_.RunUntil([&due] { return due; }, time + absl::Seconds(1)),
         "time passes");
  }

  Script script_;
  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const server_ = world_.AddNode("server");
  SimExecutor* const peer_ = world_.AddNode("peer");
  SimExecutor* const client_ = world_.AddNode("client");
  std::shared_ptr<PeerDirectory> directory_;
  std::unique_ptr<PeerPartitions> partitions_;
  std::unique_ptr<SamplerService> service_;
  std::unique_ptr<SamplerService> peer_service_;
  std::unique_ptr<LyingAcceptor> liar_;
  std::shared_ptr<ScriptedTrainer> trainer_;
};

std::pair<std::string, std::string> Answers(Script script) {
  World world(script);
  auto answers = world.Batches();
  world.Close();
  return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto good = Answers(Script({}));
  Must(good.second.rfind("ready ", 0) == 0, "an honest peer makes a batch");
  const auto answers = Answers(Script({data, size}));
  Must(!answers.first.empty(), "a batch or an error, in time");
  Must(answers.second == good.second, "then the same batch again");
  return 0;
}

}  // namespace tributary
