// Mutable rows under network faults, in virtual time: concurrent writers that
// retry, a server that dies and is restored from a snapshot, and rounds of
// gradients whose parts arrive in any order. The oracles are plain vectors.
//
// TRIBUTARY_SIM_SEEDS / 100 is the number of seeds, by default 3.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/placement/row_placement.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

constexpr uint64_t kNumRows = 20'000;

int NumSeeds() {
  const char* const seeds = std::getenv("TRIBUTARY_SIM_SEEDS");
  return seeds == nullptr ? 3 : std::max(1, std::atoi(seeds) / 100);
}

SimNetworkFaults Faults() {
  SimNetworkFaults faults;
  faults.max_latency = absl::Milliseconds(5);
  faults.cut = 0.003;
  faults.corrupt = 0.001;
  faults.stall = 0.0005;
  faults.refuse_connect = 0.05;
  faults.slow_connect = 0.05;
  faults.connect_twice = 0.05;
  faults.max_crash_detection = absl::Milliseconds(50);
  faults.max_stall_detection = absl::Seconds(1);
  faults.max_slow_connect = absl::Milliseconds(300);
  return faults;
}

// Servers, and an attempt over all of them.
class World {
 public:
  World(uint64_t seed, int num_servers) : fleet(seed), random(seed) {
    SimServerOptions options;
    options.graph.num_nodes = 2;
    options.graph.edges = {{1, 0}};
    options.data_budget = size_t{1} << 20;
    options.tensor_memory = size_t{1} << 21;
    for (int i = 0; i < num_servers; ++i) fleet.Add(options);
    FindPlacement();
  }

  void FindPlacement() {
    members.clear();
    std::vector<RowMember> rows;
    for (const auto& server : fleet.servers) {
      v1::TensorMember member;
      member.set_address(server->address.ToString());
      member.set_incarnation(server->incarnation);
      members.push_back(member);
      rows.push_back({member.address(), member.incarnation()});
    }
    // The fleet's addresses ascend, so member i is server i.
    placement = std::make_unique<RowPlacement>(*RowPlacement::Create(rows));
  }
  bool RunUntil(const std::function<bool()>& done) {
    return fleet.world.RunUntil(done, absl::Minutes(30));
  }
  v1::AttemptRef Ref(uint32_t rank, uint64_t client) const {
    v1::AttemptRef ref;
    const auto& digest = fleet.servers[0]->graph->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(attempt);
    ref.set_rank(rank);
    ref.set_client(client);
    return ref;
  }
  std::unique_ptr<TensorCaller> Connect(SimExecutor* node, int server,
                                        uint32_t rank, uint64_t client) {
    return std::make_unique<TensorCaller>(
        fleet.network.TransportOf(node), fleet.servers[server]->address, node,
        [this](const auto& done) { RunUntil(done); }, Ref(rank, client));
  }
  // Opens the next attempt on every server, without faults.
  void Open(uint32_t world, const v1::TensorSpec& spec,
            v1::SparseOptimizer optimizer) {
    fleet.network.faults() = SimNetworkFaults();
    ++attempt;
    FindPlacement();
    if (controller == nullptr) controller = fleet.world.AddNode("controller");
    control.clear();
    for (size_t i = 0; i < fleet.servers.size(); ++i) {
      control.push_back(Connect(controller, static_cast<int>(i), 0, 1));
      const absl::Status opened =
          control[i]->Open(world, members, static_cast<uint32_t>(i));
      ASSERT_TRUE(opened.ok()) << opened;
      const auto created = control[i]->Create(spec);
      ASSERT_TRUE(created.ok()) << created.status();
      if (optimizer == v1::SPARSE_NONE) continue;
      ASSERT_TRUE(control[i]->Attach(spec.name(), optimizer).ok());
    }
  }
  // Checks what holds at any time; `idle` when no call is under way.
  void CheckBudgets(bool idle) {
    for (const auto& server : fleet.servers) {
      if (server->service == nullptr) continue;
      const SharedBudget& data = server->service->data_budget();
      ASSERT_LE(data.peak(), data.limit());
      const TensorStore& tensors = server->service->tensors();
      ASSERT_LE(tensors.memory().used(), tensors.memory().limit());
      ASSERT_LE(tensors.staging().used(), tensors.staging().limit());
      if (!idle) continue;
      EXPECT_EQ(data.used(), 0u);
      EXPECT_EQ(tensors.staging().used(), 0u);
    }
  }

  SimFleet fleet;
  std::mt19937_64 random;
  uint64_t attempt = 0;
  std::vector<v1::TensorMember> members;
  std::unique_ptr<RowPlacement> placement;
  SimExecutor* controller = nullptr;
  std::vector<std::unique_ptr<TensorCaller>> control;  // by server
};

// Sends requests to one server, several at a time, each until it is answered:
// again after a lost stream, a timeout or a full budget, over a new stream if
// need be. What is sent twice may arrive twice.
class Sender {
 public:
  using Send = std::function<void(TensorCaller&, size_t index,
                                  std::function<void(absl::Status)>)>;

  Sender(World* world, SimExecutor* node, int server, uint32_t rank,
         uint64_t client)
      : world_(world),
        node_(node),
        server_(server),
        rank_(rank),
        client_(client) {}

  // Sends requests `begin` to `end`; at most `window` are open.
  void Run(size_t begin, size_t end, size_t window, Send send) {
    send_ = std::move(send);
    next_ = begin;
    end_ = end;
    window_ = window;
    stopped_ = false;
    Pump();
  }
  void Stop() {
    stopped_ = true;
    open_.clear();
  }
  bool done() const { return open_.empty() && next_ == end_; }
  // The smallest request that is not answered.
  size_t oldest() const { return open_.empty() ? next_ : *open_.begin(); }
  uint64_t retries() const { return retries_; }

 private:
  void Pump() {
    while (!stopped_ && next_ < end_ && open_.size() < window_) {
      open_.insert(next_);
      Try(next_++);
    }
  }
  void Try(size_t index) {
    if (stopped_ || !open_.contains(index)) return;
    if (streams_.empty() || !streams_.back()->calls().open()) {
      streams_.push_back(world_->Connect(node_, server_, rank_, client_));
    }
    const uint64_t run = runs_;
    send_(*streams_.back(), index, [this, index, run](absl::Status status) {
      if (stopped_ || run != runs_ || !open_.contains(index)) return;
      if (status.ok()) {
        open_.erase(index);
        return Pump();
      }
      const bool again = absl::IsUnavailable(status) ||
                         absl::IsDeadlineExceeded(status) ||
                         absl::IsResourceExhausted(status) ||
                         absl::IsDataLoss(status) || absl::IsCancelled(status);
      ASSERT_TRUE(again) << status;
      ++retries_;
      node_->PostAfter(absl::Milliseconds(world_->random() % 50),
                       [this, index] { Try(index); });
    });
  }

  World* const world_;
  SimExecutor* const node_;
  const int server_;
  const uint32_t rank_;
  const uint64_t client_;
  Send send_;
  size_t next_ = 0, end_ = 0, window_ = 1;
  std::set<size_t> open_;
  bool stopped_ = false;
  uint64_t runs_ = 0;
  uint64_t retries_ = 0;
  // Earlier ones stay, so that late replies of theirs are seen too.
  std::vector<std::unique_ptr<TensorCaller>> streams_;
};

// A write of one writer to one server.
struct Write {
  std::vector<uint64_t> rows;
  std::vector<int64_t> values;
};

class WritersTest : public ::testing::TestWithParam<int> {
 protected:
  static constexpr uint32_t kWriters = 32;
  static constexpr size_t kServers = 2;
  static constexpr int kPhases = 3;
  static constexpr int kPushes = 35;  // of a writer in a phase
  static constexpr int kRows = 300;   // of a push: 32 * 3 * 35 * 300 > 10^6

  static v1::TensorSpec Spec() {
    v1::TensorSpec spec = FloatSpec("counts", kNumRows, 0);
    spec.set_dtype(static_cast<uint32_t>(DType::kInt64));
    return spec;
  }

  struct Writer {
    SimExecutor* node;
    std::vector<std::unique_ptr<Sender>> senders;  // by server
    std::vector<std::vector<Write>> writes;        // by server, all phases
    std::vector<size_t> phase_end[kServers];
  };

  void Plan() {
    for (uint32_t w = 0; w < kWriters; ++w) {
      Writer& writer = writers_.emplace_back();
      writer.node = world_.fleet.world.AddNode("writer");
      writer.writes.resize(kServers);
      for (int phase = 0; phase < kPhases; ++phase) {
        for (int push = 0; push < kPushes; ++push) PlanPush(writer);
        for (size_t s = 0; s < kServers; ++s) {
          writer.phase_end[s].push_back(writer.writes[s].size());
        }
      }
    }
  }
  void PlanPush(Writer& writer) {
    std::vector<Write> by_server(kServers);
    for (int i = 0; i < kRows; ++i) {
      // Half of them go to a few rows, so that writers meet.
      const uint64_t below = world_.random() % 2 == 0 ? 50 : kNumRows;
      const uint64_t row = world_.random() % below;
      const auto value = static_cast<int64_t>(world_.random());
      Write& write = by_server[world_.placement->MemberOf(row)];
      write.rows.push_back(row);
      write.values.push_back(value);
      expected_[row] += static_cast<uint64_t>(value);
      ++adds_;
    }
    for (size_t s = 0; s < kServers; ++s) {
      writer.writes[s].push_back(std::move(by_server[s]));
    }
  }

  // New processes of all writers, for a new attempt.
  void StartWriters() {
    for (uint32_t w = 0; w < kWriters; ++w) {
      Writer& writer = writers_[w];
      for (auto& sender : writer.senders) retired_.push_back(std::move(sender));
      writer.senders.clear();
      const uint64_t client = w == 0 ? 1 : 1000 * world_.attempt + w;
      for (size_t s = 0; s < kServers; ++s) {
        writer.senders.push_back(std::make_unique<Sender>(
            &world_, writer.node, static_cast<int>(s), w, client));
      }
    }
  }
  // Begins to send the writes of phases `from` to `to` - 1.
  void Send(int from, int to) {
    for (Writer& writer : writers_) {
      for (size_t s = 0; s < kServers; ++s) {
        const size_t begin = from == 0 ? 0 : writer.phase_end[s][from - 1];
        Sender* const sender = writer.senders[s].get();
        sender->Run(begin, writer.phase_end[s][to - 1], 3,
                    [this, &writer, s, sender](TensorCaller& client,
                                               size_t index, auto done) {
                      SendOne(client, writer.writes[s][index], index + 1,
                              sender->oldest() + 1, std::move(done));
                    });
      }
    }
  }
  void SendOne(TensorCaller& client, const Write& write, uint64_t sequence,
               uint64_t oldest_open, std::function<void(absl::Status)> done) {
    v1::WriteRowsRequest request;
    request.set_name("counts");
    request.set_op(v1::WRITE_ADD);
    request.set_num_rows(write.rows.size());
    request.set_sequence(sequence);
    request.set_oldest_open(oldest_open);
    // Some give up before the answer can come.
    const absl::Duration timeout =
        world_.random() % 20 == 0 ? absl::Milliseconds(2) : absl::Seconds(2);
    client.Start<v1::WriteRowsReply>(
        MessageKind::kWriteRowsRequest, request,
        RowsAndValues(write.rows, write.values),
        [done = std::move(done)](auto reply) { done(reply.status()); },
        timeout);
  }
  bool AllDone() const {
    return std::all_of(writers_.begin(), writers_.end(), [](const auto& w) {
      return std::all_of(w.senders.begin(), w.senders.end(),
                         [](const auto& s) { return s->done(); });
    });
  }
  std::map<uint64_t, int64_t> Export() {
    std::map<uint64_t, int64_t> rows;
    for (auto& control : world_.control) {
      v1::ExportRowsRequest request;
      request.set_name("counts");
      request.set_max_reply_bytes(50'000);
      for (bool done = false; !done;) {
        const auto page = control->Ask<v1::ExportRowsReply>(
            MessageKind::kExportRowsRequest, request);
        EXPECT_TRUE(page.ok()) << page.status();
        if (!page.ok()) return rows;
        const auto words = page->As<int64_t>();
        const size_t n = page->header.num_rows();
        for (size_t i = 0; i < n; ++i) {
          EXPECT_TRUE(
              rows.emplace(static_cast<uint64_t>(words[i]), words[n + i])
                  .second);
        }
        request.set_cursor(page->header.next_cursor());
        done = page->header.done();
      }
    }
    return rows;
  }
  // By a rank of its own, which writes nothing else.
  void Import(const std::map<uint64_t, int64_t>& snapshot) {
    constexpr size_t kPage = 2000;
    for (size_t s = 0; s < kServers; ++s) {
      uint64_t sequence = 0;
      Write write;
      const auto flush = [&] {
        v1::ImportRowsRequest request;
        request.set_name("counts");
        request.set_num_rows(write.rows.size());
        request.set_sequence(++sequence);
        request.set_oldest_open(sequence);
        *request.mutable_attempt() = world_.Ref(kWriters, 77);
        const auto imported = world_.control[s]->Ask<v1::ImportRowsReply>(
            MessageKind::kImportRowsRequest, request,
            RowsAndValues(write.rows, write.values));
        ASSERT_TRUE(imported.ok()) << imported.status();
        write = Write();
      };
      for (const auto& [row, value] : snapshot) {
        if (world_.placement->MemberOf(row) != s) continue;
        write.rows.push_back(row);
        write.values.push_back(value);
        if (write.rows.size() == kPage) flush();
      }
      flush();
    }
  }
  void Reopen() {
    world_.Open(kWriters + 1, Spec(), v1::SPARSE_NONE);
    StartWriters();
  }

  World world_{static_cast<uint64_t>(GetParam() + 1), kServers};
  std::vector<Writer> writers_;
  std::vector<std::unique_ptr<Sender>> retired_;
  std::map<uint64_t, uint64_t> expected_;
  uint64_t adds_ = 0;
};

// Three phases: after the first one a snapshot is taken; in the second one a
// server dies; then all begins again from the snapshot, and the writers replay
// what came since.
TEST_P(WritersTest, EachAddCountsOnce) {
  Plan();
  ASSERT_GT(adds_, 1'000'000u);
  world_.fleet.world.set_each_step([this] { world_.CheckBudgets(false); });
  Reopen();
  world_.fleet.network.faults() = Faults();
  Send(0, 1);
  ASSERT_TRUE(world_.RunUntil([&] { return AllDone(); }));
  world_.fleet.network.faults() = SimNetworkFaults();
  const auto snapshot = Export();

  world_.fleet.network.faults() = Faults();
  Send(1, 2);
  const size_t at = world_.fleet.world.events_run() + 2000;
  ASSERT_TRUE(
      world_.RunUntil([&] { return world_.fleet.world.events_run() >= at; }));
  ASSERT_FALSE(AllDone());
  for (Writer& writer : writers_) {
    for (auto& sender : writer.senders) sender->Stop();
  }
  SimServer& victim = *world_.fleet.servers[GetParam() % kServers];
  world_.fleet.Crash(victim);
  world_.fleet.Restart(victim);
  Reopen();
  Import(snapshot);
  world_.fleet.network.faults() = Faults();
  Send(1, 3);
  ASSERT_TRUE(world_.RunUntil([&] { return AllDone(); }));

  world_.fleet.network.faults() = SimNetworkFaults();
  uint64_t retries = 0;
  for (Writer& writer : writers_) {
    for (auto& sender : writer.senders) retries += sender->retries();
  }
  EXPECT_GT(retries, 20u);
  const auto rows = Export();
  ASSERT_EQ(rows.size(), expected_.size());
  for (const auto& [row, sum] : expected_) {
    ASSERT_EQ(static_cast<uint64_t>(rows.at(row)), sum) << "row " << row;
  }
  world_.CheckBudgets(true);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WritersTest, ::testing::Range(0, NumSeeds()));

// --- rounds ------------------------------------------------------------------

constexpr uint32_t kDim = 3;
constexpr uint64_t kTableRows = 500;
constexpr uint32_t kRanks = 4;
constexpr uint64_t kRounds = 12;

// One batch's gradients, as a part of a rank's round.
struct Batch {
  uint32_t rank, part, place;
  bool closes;
  std::vector<uint64_t> rows;    // ascending
  std::vector<float> gradients;  // [rows.size(), kDim]
};

// The same for every seed of the world.
std::vector<std::vector<Batch>> MakeRounds() {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0, 1);
  std::vector<std::vector<Batch>> rounds(kRounds);
  for (auto& round : rounds) {
    std::vector<uint32_t> places(2 * kRanks);
    for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
    std::shuffle(places.begin(), places.end(), random);
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      for (uint32_t part = 0; part < 2; ++part) {
        Batch batch{rank, part, places[2 * rank + part], part == 1, {}, {}};
        // Now and then a rank has no rows.
        const uint64_t one_of = random() % 5 == 0 ? 100'000 : 3;
        for (uint64_t row = 0; row < kTableRows; ++row) {
          if (random() % one_of != 0) continue;
          batch.rows.push_back(row);
          for (uint32_t c = 0; c < kDim; ++c) {
            batch.gradients.push_back(normal(random));
          }
        }
        round.push_back(std::move(batch));
      }
    }
  }
  return rounds;
}

// Adagrad as its header states it, row by row.
std::vector<float> OracleTable(const std::vector<std::vector<Batch>>& rounds) {
  std::vector<float> w(kTableRows * kDim), state(w.size());
  for (const auto& round : rounds) {
    std::vector<const Batch*> batches;
    for (const Batch& batch : round) batches.push_back(&batch);
    std::sort(batches.begin(), batches.end(),
              [](auto* a, auto* b) { return a->place < b->place; });
    std::map<size_t, float> sums;  // by index in w
    for (const Batch* batch : batches) {
      for (size_t i = 0; i < batch->rows.size(); ++i) {
        for (uint32_t c = 0; c < kDim; ++c) {
          const float g = batch->gradients[i * kDim + c];
          const auto [it, first] = sums.emplace(batch->rows[i] * kDim + c, g);
          if (first) continue;
          volatile float sum = it->second + g;
          it->second = sum;
        }
      }
    }
    for (const auto& [at, sum] : sums) {
      volatile float g = 0.25f * sum;
      volatile float square = g * g;
      volatile float total = state[at] + square;
      volatile float root = std::sqrt(static_cast<float>(total));
      volatile float below = root + 1e-6f;
      volatile float step = 0.1f * g;
      volatile float change = step / below;
      volatile float now = w[at] - change;
      state[at] = total;
      w[at] = now;
    }
  }
  return w;
}

class RoundsTest : public ::testing::TestWithParam<int> {
 protected:
  void SendPart(TensorCaller& client, int server, const Batch& batch,
                uint64_t round, std::function<void(absl::Status)> done) {
    Batch own{batch.rank, batch.part, batch.place, batch.closes, {}, {}};
    for (size_t i = 0; i < batch.rows.size(); ++i) {
      if (world_.placement->MemberOf(batch.rows[i]) !=
          static_cast<uint32_t>(server)) {
        continue;
      }
      own.rows.push_back(batch.rows[i]);
      for (uint32_t c = 0; c < kDim; ++c) {
        own.gradients.push_back(batch.gradients[i * kDim + c]);
      }
    }
    v1::PushRoundRequest request;
    request.set_round(round);
    request.set_part(own.part);
    request.set_closes(own.closes);
    if (!own.rows.empty()) {
      auto& push = *request.add_pushes();
      push.set_name("emb");
      push.set_num_rows(own.rows.size());
      push.set_place(own.place);
      push.mutable_step()->set_learning_rate(0.1);
      push.mutable_step()->set_eps(1e-6);
      push.mutable_step()->set_scale(0.25);
    }
    client.Start<v1::PushRoundReply>(
        MessageKind::kPushRoundRequest, request,
        RowsAndValues(own.rows, own.gradients),
        [done = std::move(done)](auto reply) { done(reply.status()); },
        absl::Seconds(1));
  }

  World world_{static_cast<uint64_t>(GetParam() + 100), 1 + GetParam() % 3};
};

TEST_P(RoundsTest, TablesAreBitEqualWhateverArrivesFirst) {
  const auto rounds = MakeRounds();
  world_.fleet.world.set_each_step([this] { world_.CheckBudgets(false); });
  world_.Open(kRanks, FloatSpec("emb", kTableRows, kDim), v1::SPARSE_ADAGRAD);
  const size_t num_servers = world_.fleet.servers.size();
  std::vector<std::unique_ptr<Sender>> senders;
  world_.fleet.network.faults() = Faults();
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    SimExecutor* const node = world_.fleet.world.AddNode("rank");
    for (size_t s = 0; s < num_servers; ++s) {
      auto& sender = senders.emplace_back(std::make_unique<Sender>(
          &world_, node, static_cast<int>(s), rank, rank + 1));
      // Parts 2k and 2k + 1 are of round k + 1; three are under way, so a rank
      // is ahead of others, and its parts overtake each other.
      sender->Run(0, 2 * kRounds, 3,
                  [&, rank, s](TensorCaller& client, size_t index, auto done) {
                    SendPart(client, static_cast<int>(s),
                             rounds[index / 2][2 * rank + index % 2],
                             index / 2 + 1, std::move(done));
                  });
    }
  }
  ASSERT_TRUE(world_.RunUntil([&] {
    return std::all_of(senders.begin(), senders.end(),
                       [](const auto& s) { return s->done(); });
  }));
  world_.fleet.network.faults() = SimNetworkFaults();
  std::vector<float> table(kTableRows * kDim);
  for (size_t s = 0; s < num_servers; ++s) {
    std::vector<uint64_t> rows;
    for (uint64_t row = 0; row < kTableRows; ++row) {
      if (world_.placement->MemberOf(row) == s) rows.push_back(row);
    }
    const auto reply = world_.control[s]->Read("emb", rows, kRounds);
    ASSERT_TRUE(reply.ok()) << reply.status();
    const auto values = reply->As<float>();
    for (size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(values.begin() + static_cast<long>(i * kDim), kDim,
                  table.begin() + static_cast<long>(rows[i] * kDim));
    }
  }
  const std::vector<float> expected = OracleTable(rounds);
  for (size_t i = 0; i < table.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(table[i]),
              std::bit_cast<uint32_t>(expected[i]))
        << "row " << i / kDim;
  }
  world_.CheckBudgets(true);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundsTest,
                         ::testing::Range(0, 3 * NumSeeds()));

}  // namespace
}  // namespace tributary
