// Fuzzes a loader with the messages of a server on its batch stream: the loader
// delivers the batches of its epoch in order, each as requested or as an error
// in its place, within rpc_timeout, and its ring is empty once it has closed.
// An honest server beside it makes every batch that the user has room for. An
// input is a script (script.h):
//
//   H                 first alone: an honest server is beside this one
//   N                 the user asks for the next batch, if not waiting for one
//   R                 the user releases the oldest batch
//   E number          the user starts that epoch
//   C                 the user cancels
//   t number          runs so many milliseconds
//   j number          selects the j-th open credit
//   a                 sends the batch that the credit asks for
//   w payload         sends it with changed bytes
//   f changes payload sends a Frame of it, by default its first 64 bytes
//   y, n, e, u, b, p and changes   send Ready, Needs, BatchError,
//                     UnknownSession, Returned, Progress
//   r number text payload   sends a message of that kind with that header
//   q                 the server closes the stream
//   d changes         changes the server's description from now on
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"
#include "common/testing/sim_scheduler.h"
#include "common/trace/explain.h"
#include "common/trace/otlp.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/scripted_server.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {
namespace {

constexpr uint64_t kMostEvents = 2000000;
constexpr uint64_t kMostMilliseconds = 2000;
constexpr absl::Duration kRpcTimeout = absl::Seconds(5);
constexpr size_t kFrame = 128;  // so that a batch has several

const EpochOrderOptions kOrder{
    .num_inputs = 12, .batch_size = 2, .random_seed = 5};

Sha256Digest SpecIdentity() { return Sha256Of("the specification"); }

// As the credit asks: `input_id` holds its numbers.
AlignedBuffer MakeBatch(const v1::Credit& credit) {
  const int64_t n = credit.input_number_size();
  BatchLayout layout({SpecIdentity(), credit.epoch(), credit.index()});
  const int ids = layout.Add("input_id", DType::kInt64, {n});
  AlignedBuffer room(layout.Finish());
  layout.WriteHeader(room.span());
  if (n > 0) {
    std::memcpy(layout.Tensor(ids, room.span()).data(),
                credit.input_number().data(), n * sizeof(int64_t));
  }
  return room;
}

std::string AsText(absl::Span<const uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

void SendBatch(Stream& to, uint64_t grant, const AlignedBuffer& batch) {
  const absl::Span<const uint8_t> room = batch.span();
  for (size_t at = 0; at < room.size(); at += kFrame) {
    v1::Frame frame;
    frame.set_grant(grant);
    frame.set_offset(at);
    frame.set_total(room.size());
    OutgoingMessage message =
        MakeMessage(MessageKind::kFrame, 0, frame.SerializeAsString(),
                    AsText(room.subspan(at, kFrame)));
    if (CheckEnvelopeLimits(message).ok()) {
      to.Send(std::move(message)).IgnoreError();
    }
  }
}

class World {
 public:
  explicit World(Script script) : script_(script) {
    server_.on_call = [this](const ScriptedServer::Asked& call) {
      Describe(call);
    };
    describe_.set_wire_version(kWireVersion);
    describe_.set_incarnation(1);
    describe_.add_partitions(0);
    network_.Listen(server_node_, {"server", 1}, &server_);
    honest_.on_call = [](const ScriptedServer::Asked& call) {
      v1::DescribeReply description;
      description.set_wire_version(kWireVersion);
      description.set_incarnation(2);
      description.add_partitions(0);
      Reply(call, description);
    };
    honest_.on_credit = [](const ScriptedServer::Asked& asked) {
      v1::Credit credit;
      credit.ParseFromString(asked.header);
      SendBatch(*asked.stream, credit.grant(), MakeBatch(credit));
    };
    network_.Listen(world_.AddNode("honest"), {"honest", 1}, &honest_);
    beside_ = script_.TakeIf('H');
    LoaderCoreOptions options;
    options.buffer_size = size_t{64} << 10;
    options.rpc_timeout = kRpcTimeout;
    options.on_traced = [](const BatchTimeline& batch) {
      Must(!ExplainTimeline(batch).empty(), "a timeline is explained");
      Must(!OtlpLine(batch).empty(), "a timeline has spans");
    };
    loader_ = std::make_shared<LoaderCore>(options, Session(), strand_);
    strand_->Post([this] { Start(); });
    Run(absl::Milliseconds(10));
  }

  void All() {
    while (!script_.done()) Step(script_.Take());
    if (waiting_) Run(kRpcTimeout + absl::Seconds(1));
    Must(!waiting_, "Next() answers within rpc_timeout");
    Close();
  }

 private:
  static LoaderSession Session() {
    LoaderSession session;
    session.spec = std::make_shared<const std::string>("the specification");
    session.identity = SpecIdentity();
    session.inputs = Sha256Of("the inputs");
    std::vector<int64_t> ids(kOrder.num_inputs);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = 1000 + i;
    session.input_ids =
        std::make_shared<const std::vector<int64_t>>(std::move(ids));
    session.order = kOrder;
    return session;
  }

  void Start() {
    ServerFleetOptions options;
    options.source.addresses = {{"server", 1}};
    if (beside_) options.source.addresses.push_back({"honest", 1});
    options.link.transport = network_.TransportOf(trainer_);
    options.link.strand = strand_;
    options.link.client_name = "fuzz";
    options.link.credit_timeout = kRpcTimeout;
    fleet_ = std::make_shared<ServerFleet>(options);
    loader_->Start(fleet_);
    fleet_->Start();
    loader_->StartEpoch(0).IgnoreError();
  }

  // ---- the user
  // --------------------------------------------------------------
  void Next() {
    if (waiting_) return;
    waiting_ = true;
    strand_->Post([this] {
      loader_->Next([this](auto result) {
        waiting_ = false;
        if (result.ok() && result->has_value()) Take(**std::move(result));
        // The user's own doing: leases that fill the ring, Cancel.
        Must(!beside_ || result.ok() ||
                 absl::IsFailedPrecondition(result.status()) ||
                 absl::IsCancelled(result.status()),
             "an honest server beside it makes every batch");
      });
    });
    Run(absl::Milliseconds(1));
  }

  void Take(BatchLease lease) {
    const uint64_t index = lease.index();
    Must(!last_.has_value() || index > *last_, "indices ascend");
    last_ = index;
    Must(lease.view().key() == BatchKey{SpecIdentity(), epoch_, index},
         "a batch is the one that was asked for");
    for (const TensorView& tensor : lease.view().tensors()) {
      uint8_t sum = 0;
      for (uint8_t byte : tensor.data) sum ^= byte;
      all_bytes_ ^= sum;
    }
    leases_.push_back(std::move(lease));
  }

  void StartEpoch(uint64_t epoch) {
    if (waiting_) return;
    strand_->Post([this, epoch] {
      if (!loader_->StartEpoch(epoch).ok()) return;
      epoch_ = epoch;
      last_.reset();
    });
    Run(absl::Milliseconds(1));
  }

  void Close() {
    bool closed = false;
    strand_->Post([&] { loader_->Close([&closed] { closed = true; }); });
    Must(world_.RunUntil([&closed] { return closed; }, absl::Minutes(1)),
         "a loader closes");
    leases_.clear();
    const SlotRingStats ring = loader_->ring().stats();
    Must(ring.used_bytes == 0 && ring.leased == 0, "its ring is empty then");
    server_.Forget();
    honest_.Forget();
    fleet_.reset();
    loader_.reset();
    Must(world_.Drain(kMostEvents), "nothing goes on after that");
  }

  // ---- the server
  // ------------------------------------------------------------
  static void Reply(const ScriptedServer::Asked& call,
                    const v1::DescribeReply& description) {
    call.stream
        ->Send(MakeMessage(MessageKind::kDescribeReply, call.call_id,
                           description.SerializeAsString()))
        .IgnoreError();
  }
  void Describe(const ScriptedServer::Asked& call) { Reply(call, describe_); }

  // The credit that the script is at; none: of no grant that was ever made.
  v1::Credit Credit() const {
    v1::Credit credit;
    if (!server_.credits.empty()) {
      const auto& asked = server_.credits[at_ % server_.credits.size()];
      credit.ParseFromString(asked.header);
    }
    return credit;
  }

  void Say(MessageKind kind, std::string header, std::string payload = "") {
    OutgoingMessage message =
        MakeMessage(kind, 0, std::move(header), std::move(payload));
    if (server_.batches == nullptr || !CheckEnvelopeLimits(message).ok()) {
      return;
    }
    server_.batches->Send(std::move(message)).IgnoreError();
  }

  template <typename Header>
  void Say(MessageKind kind, Header header) {
    header.set_grant(Credit().grant());
    script_.Change(header);
    Say(kind, header.SerializeAsString());
  }

  void SayBatch(const AlignedBuffer& batch) {
    if (server_.batches != nullptr) {
      SendBatch(*server_.batches, Credit().grant(), batch);
    }
    if (!server_.credits.empty()) {
      server_.credits.erase(
          server_.credits.begin() +
          static_cast<ptrdiff_t>(at_ % server_.credits.size()));
    }
  }

  void SayChangedBatch() {
    AlignedBuffer room = MakeBatch(Credit());
    std::string bytes = AsText(std::as_const(room).span());
    script_.ChangePayload(bytes);
    AlignedBuffer changed(bytes.size());
    std::copy(bytes.begin(), bytes.end(), changed.data());
    SayBatch(changed);
  }

  void SayFrame() {
    const AlignedBuffer room = MakeBatch(Credit());
    v1::Frame frame;
    frame.set_grant(Credit().grant());
    frame.set_total(room.size());
    script_.Change(frame);
    std::string payload = AsText(room.span().first(64));
    script_.ChangePayload(payload);
    Say(MessageKind::kFrame, frame.SerializeAsString(), std::move(payload));
  }

  void SayRaw() {
    const auto kind = static_cast<MessageKind>(script_.Number());
    std::string header = script_.Text(), payload;
    script_.ChangePayload(payload);
    Say(kind, std::move(header), std::move(payload));
  }

  void SayProgress() {
    v1::Progress progress;
    progress.add_grant(Credit().grant());
    progress.add_stage(v1::STAGE_SAMPLING);
    script_.Change(progress);
    Say(MessageKind::kProgress, progress.SerializeAsString());
  }

  // ---- the script
  // --------------------------------------------------------------
  void Step(char what) {
    switch (what) {
      case 'N':
        return Next();
      case 'R':
        if (!leases_.empty()) leases_.pop_front();
        return;
      case 'E':
        return StartEpoch(script_.Number());
      case 'C':
        strand_->Post([this] { loader_->Cancel(); });
        return Run(absl::Milliseconds(1));
      case 't':
        return Run(absl::Milliseconds(static_cast<int64_t>(
            std::min(script_.Number(), kMostMilliseconds))));
      case 'j':
        at_ = script_.Number();
        return;
      default:
        ServerStep(what);
    }
  }

  void ServerStep(char what) {
    switch (what) {
      case 'a':
        return SayBatch(MakeBatch(Credit()));
      case 'w':
        return SayChangedBatch();
      case 'f':
        return SayFrame();
      case 'y':
        return Say(MessageKind::kReady, v1::Ready());
      case 'n':
        return Say(MessageKind::kNeeds, v1::Needs());
      case 'e':
        return Say(MessageKind::kBatchError, v1::BatchError());
      case 'u':
        return Say(MessageKind::kUnknownSession, v1::UnknownSession());
      case 'b':
        return Say(MessageKind::kReturned, v1::Returned());
      case 'p':
        return SayProgress();
      case 'r':
        return SayRaw();
      case 'q':
        if (server_.batches != nullptr) {
          server_.batches->Close(absl::UnavailableError("so it says"));
        }
        return;
      case 'd':
        return script_.Change(describe_);
      default:
        return;
    }
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
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  SimExecutor* const server_node_ = world_.AddNode("server");
  const std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(trainer_);
  ScriptedServer server_, honest_;
  bool beside_ = false;
  v1::DescribeReply describe_;
  std::shared_ptr<ServerFleet> fleet_;
  std::shared_ptr<LoaderCore> loader_;
  std::deque<BatchLease> leases_;
  std::optional<uint64_t> last_;  // index delivered
  uint64_t epoch_ = 0;
  uint64_t at_ = 0;  // which credit
  bool waiting_ = false;
  uint8_t all_bytes_ = 0;  // of what was delivered: reads each
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  World(Script({data, size})).All();
  return 0;
}

}  // namespace tributary
