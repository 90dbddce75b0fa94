// Fuzzes a server with the replies of a peer that it asks for hops and rows:
// the server either makes the batch or fails it, in time and within its budget,
// and makes the next batch correctly once the peer's replies are valid again.
// An input changes the peer's replies one after another (lying_acceptor.h); if
// it begins with !, batches have no edge ids, and the peer sends none.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/peers/peer_partitions.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/scripted_trainer.h"
#include "tests/fuzz/lying_acceptor.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/service_world.h"

namespace tributary {
namespace {

constexpr uint64_t kMostEvents = 2000000;
constexpr uint64_t kRoomBytes = 4096;
constexpr uint64_t kTimeoutMs = 3000;

// A server with partition 0, its peer with all partitions, and a trainer.
class World {
 public:
  explicit World(Script script)
      : omit_edge_ids_(script.TakeIf('!')), script_(script) {
    PeerDirectoryOptions directory;
    directory.schema = FuzzGraph()->schema();
    directory.own_incarnation = 1;
    directory_ = std::make_shared<PeerDirectory>(
        directory, network_.TransportOf(server_), server_);
    partitions_ =
        std::make_shared<PeerPartitions>(FuzzGraph()->schema(), directory_);
    service_ = MakeService(HalfOfFuzzGraph(), 1, server_, partitions_);
    peer_service_ = MakeService(FuzzGraph(), 2, peer_, nullptr);
    liar_ = std::make_unique<LyingAcceptor>(peer_service_.get(), &script_);
    network_.Listen(server_, {"server", 1}, service_.get());
    network_.Listen(peer_, {"peer", 1}, liar_.get());
    directory_->SetListed({{"server", 1}, {"peer", 1}});
    trainer_ =
        ScriptedTrainer::Connect(network_.TransportOf(client_), {"server", 1});
  }

  // Returns the answers to a batch that is asked for while the script changes
  // the peer's replies, and to one after the script has ended.
  std::pair<std::string, std::string> Batches() {
    SpecOptions options;
    options.batch_size = 4;
    options.shuffle = ShuffleMode::kNone;
    options.num_neighbors = {2, -1};
    options.omit_edge_ids = omit_edge_ids_;
    const TrainerSession session =
        MakeSession(FuzzGraph()->schema(), options, {0, 3, 5, 1, 0, 3, 5, 1});
    trainer_->Open(session);
    Run(absl::Seconds(1));
    trainer_->Ask(session, 0, kRoomBytes, kTimeoutMs);
    Run(absl::Seconds(4));
    script_ = Script({});
    Run(absl::Seconds(5));  // in which the peer is described again
    trainer_->Ask(session, 1, kRoomBytes, kTimeoutMs);
    Run(absl::Seconds(4));
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
      SimExecutor* executor, std::shared_ptr<RemotePartitions> remote) {
    SamplerServiceOptions options;
    options.incarnation = incarnation;
    options.memory_budget = size_t{64} << 10;
    options.leaf_budget = size_t{64} << 10;
    SamplerServiceEnvironment environment;
    environment.executor = executor;
    environment.leaf_executor = executor;
    return std::make_unique<SamplerService>(
        options, environment,
        ServedGraph{.graph = std::move(graph), .remote = std::move(remote)});
  }

  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    Must(world_.RunUntil([&due] { return due; }, time + absl::Seconds(1)),
         "time passes");
  }

  const bool omit_edge_ids_;
  Script script_;
  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const server_ = world_.AddNode("server");
  SimExecutor* const peer_ = world_.AddNode("peer");
  SimExecutor* const client_ = world_.AddNode("client");
  std::shared_ptr<PeerDirectory> directory_;
  std::shared_ptr<PeerPartitions> partitions_;
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
  constexpr uint8_t kOmit[] = {'!'};
  static const std::string good[] = {Answers(Script({})).second,
                                     Answers(Script(kOmit)).second};
  const bool omits = size > 0 && data[0] == kOmit[0];
  Must(good[omits ? 1 : 0].rfind("ready ", 0) == 0,
       "an honest peer makes a batch");
  Must(good[0] != good[1], "batches without edge ids are others");
  const auto answers = Answers(Script({data, size}));
  Must(!answers.first.empty(), "a batch or an error, in time");
  Must(answers.second == good[omits ? 1 : 0], "then the same batch again");
  return 0;
}

}  // namespace tributary
