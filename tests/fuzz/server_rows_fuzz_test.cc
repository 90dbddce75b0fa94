// Fuzzes a server with calls for mutable rows on two data streams: each call
// gets at most one reply, within the size that it asked for, and the server
// stays within its budgets, holds no more than they say (by the witness of
// held_memory.h) and releases all of it. An input is a script (script.h):
//
// clang-format off
//   k number          selects one of two streams
//   o changes         calls OpenAttempt: attempt 1 of 2 ranks, on this server
//   a                 makes all calls be of the next attempt, and opens it
//   j changes         calls JoinAttempt of rank 1
//   z changes         calls CloseAttempt
//   b changes         calls Meet
//   n changes         calls CreateTensor: "t", 100 rows of 2 float32
//   f changes         calls AttachOptimizer: Adagrad for "t"
//   d changes         calls DropTensor of "t"
//   l changes         calls ListTensors
//   g changes payload calls ReadRows of rows 1 and 99
//   w changes payload calls WriteRows of rows 1 and 99
//   h changes payload calls PushRound of rank 0: rows 1 and 99, closing round 1
//   u number          calls PushRound without rows so many times, each of the
//                     next part
//   v number          calls WriteRows without rows so many times
//   ! number          calls CreateTensor with so many bytes that are unknown
//   e changes         calls ExportRows
//   i changes payload calls ImportRows of row 5 with Adagrad's state
//   c changes         calls CopyTensor "t" to "t"
//   s changes         calls SetRound to 3
//   r number text payload   sends a message of that kind with that header
//   x number          sends Cancel of that call
//   y number          sets the id of the next call
//   p number          repeats the last message so many times, with its id
//   m number          the same, with new ids
//   t number          runs so many milliseconds
//   q                 closes the stream
// clang-format on
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel/message.h"
#include "common/proto/tensors.pb.h"
#include "common/tensor/dtype.h"
#include "common/testing/held_memory.h"
#include "tests/fuzz/caller.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/service_world.h"

namespace tributary {
namespace {

constexpr uint64_t kMostRepeats = 300;
constexpr uint64_t kMostMilliseconds = 20'000;
constexpr size_t kMostUnknownBytes = 4096;
constexpr absl::Duration kRest = absl::Milliseconds(50);
constexpr absl::Duration kAllHasEnded = absl::Seconds(45);
// Two streams, and what a simulated world takes as time passes.
constexpr int64_t kNoise = 64 << 10;

uint64_t MaxReplyBytes(const OutgoingMessage& message) {
  v1::ReadRowsRequest read;
  v1::ExportRowsRequest exported;
  if (message.kind == MessageKind::kReadRowsRequest &&
      read.ParseFromString(message.header)) {
    return read.max_reply_bytes();
  }
  if (message.kind == MessageKind::kExportRowsRequest &&
      exported.ParseFromString(message.header)) {
    return exported.max_reply_bytes();
  }
  return 0;
}

// Returns `rows` and so many float32 after them.
std::string Payload(const std::vector<uint64_t>& rows, size_t floats) {
  std::string bytes(rows.size() * sizeof(uint64_t) + floats * sizeof(float),
                    '\0');
  std::memcpy(bytes.data(), rows.data(), rows.size() * sizeof(uint64_t));
  for (size_t i = 0; i < floats; ++i) {
    const auto value = static_cast<float>(i + 1);
    std::memcpy(
        bytes.data() + rows.size() * sizeof(uint64_t) + i * sizeof(float),
        &value, sizeof(value));
  }
  return bytes;
}

class Run {
 public:
  Run(Script script, const Identity& identity)
      : script_(script), world_(identity) {}

  // Returns whether all that was held was counted.
  bool All() {
    while (!script_.done()) {
      Step(script_.Take());
      CheckBudgets();
    }
    Rest(kRest);
    for (const auto& [number, caller] : callers_) caller->Close();
    world_.Run(kAllHasEnded);
    Must(world_.service().tensors().open_attempts() == 0, "attempts end");
    CheckHeld();
    return all_is_counted_;
  }

 private:
  void Step(char what) {
    switch (what) {
      case 'k':
        stream_ = script_.Number() % 2;
        return;
      case 'r': {
        const auto kind = static_cast<MessageKind>(script_.Number());
        std::string header = script_.Text(), payload;
        script_.ChangePayload(payload);
        return Current().Send(MakeMessage(kind, next_id_++, std::move(header),
                                          std::move(payload)));
      }
      case 'x':
        return Current().Send(
            MakeMessage(MessageKind::kCancel, script_.Number(), ""));
      case 'y':
        next_id_ = script_.Number();
        return;
      case 'p':
        return Current().Repeat(std::min(script_.Number(), kMostRepeats),
                                nullptr);
      case 'm':
        return Current().Repeat(std::min(script_.Number(), kMostRepeats),
                                &next_id_);
      case 't':
        return Rest(absl::Milliseconds(static_cast<int64_t>(
            std::min(script_.Number(), kMostMilliseconds))));
      case 'q':
        return Current().Close();
      default:
        return CallOfAttempt(what);
    }
  }

  void CallOfAttempt(char what) {
    switch (what) {
      case 'o':
        return Open();
      case 'a':
        ++attempt_;
        return Open();
      case 'j':
        return Send(MessageKind::kJoinAttemptRequest,
                    With<v1::JoinAttemptRequest>(1));
      case 'z':
        return Send(MessageKind::kCloseAttemptRequest,
                    With<v1::CloseAttemptRequest>(0));
      case 'b':
        return Meet();
      case 'd': {
        auto request = With<v1::DropTensorRequest>(0);
        request.set_name("t");
        return Send(MessageKind::kDropTensorRequest, std::move(request));
      }
      case 'l':
        return Send(MessageKind::kListTensorsRequest, v1::ListTensorsRequest());
      case 's': {
        auto request = With<v1::SetRoundRequest>(0);
        request.set_round(3);
        return Send(MessageKind::kSetRoundRequest, std::move(request));
      }
      case 'n':
        return Create();
      case 'f': {
        auto request = With<v1::AttachOptimizerRequest>(0);
        request.set_name("t");
        request.set_optimizer(v1::SPARSE_ADAGRAD);
        return Send(MessageKind::kAttachOptimizerRequest, std::move(request));
      }
      default:
        return CallOfRows(what);
    }
  }

  void CallOfRows(char what) {
    switch (what) {
      case 'g':
        return Read();
      case 'w':
        return Write();
      case 'h':
        return PushRound();
      case 'u':
        return PushNothing();
      case 'v':
        return WriteNothing();
      case '!':
        return CreateWithUnknown();
      case 'e': {
        auto request = With<v1::ExportRowsRequest>(0);
        request.set_name("t");
        request.set_with_state(true);
        request.set_max_reply_bytes(4096);
        request.set_timeout_ms(1000);
        return Send(MessageKind::kExportRowsRequest, std::move(request));
      }
      case 'i': {
        auto request = With<v1::ImportRowsRequest>(0);
        request.set_name("t");
        request.set_num_rows(1);
        request.set_with_state(true);
        request.set_sequence(++sequence_);
        request.set_oldest_open(1);
        return Send(MessageKind::kImportRowsRequest, std::move(request),
                    Payload({5}, 4));
      }
      case 'c': {
        auto request = With<v1::CopyTensorRequest>(0);
        request.set_from("t");
        request.set_to("t");
        request.set_timeout_ms(1000);
        return Send(MessageKind::kCopyTensorRequest, std::move(request));
      }
      default:
        return;
    }
  }

  void Open() {
    auto request = With<v1::OpenAttemptRequest>(0);
    request.set_world(2);
    auto& member = *request.add_members();
    member.set_address("server:1");
    member.set_incarnation(1);
    Send(MessageKind::kOpenAttemptRequest, std::move(request));
  }

  void Meet() {
    auto request = With<v1::MeetRequest>(0);
    request.set_sequence(1);
    request.set_purpose("barrier");
    request.set_value("value");
    request.set_timeout_ms(1000);
    Send(MessageKind::kMeetRequest, std::move(request));
  }

  void Create() {
    auto request = With<v1::CreateTensorRequest>(0);
    auto& spec = *request.mutable_spec();
    spec.set_name("t");
    spec.set_num_rows(100);
    spec.set_dim(2);
    spec.set_dtype(static_cast<uint32_t>(DType::kFloat32));
    Send(MessageKind::kCreateTensorRequest, std::move(request));
  }

  void Read() {
    auto request = With<v1::ReadRowsRequest>(0);
    request.set_name("t");
    request.set_num_rows(2);
    request.set_max_reply_bytes(4096);
    request.set_timeout_ms(1000);
    Send(MessageKind::kReadRowsRequest, std::move(request),
         Payload({1, 99}, 0));
  }

  void Write() {
    auto request = With<v1::WriteRowsRequest>(0);
    request.set_name("t");
    request.set_op(v1::WRITE_ADD);
    request.set_num_rows(2);
    request.set_sequence(++sequence_);
    request.set_oldest_open(1);
    Send(MessageKind::kWriteRowsRequest, std::move(request),
         Payload({1, 99}, 4));
  }

  void PushRound() {
    auto request = With<v1::PushRoundRequest>(0);
    request.set_round(1);
    request.set_closes(true);
    auto& push = *request.add_pushes();
    push.set_name("t");
    push.set_num_rows(2);
    push.mutable_step()->set_learning_rate(0.1);
    push.mutable_step()->set_eps(1e-8);
    Send(MessageKind::kPushRoundRequest, std::move(request),
         Payload({1, 99}, 4));
  }

  void PushNothing() {
    auto request = With<v1::PushRoundRequest>(0);
    request.set_round(1);
    for (uint64_t n = std::min(script_.Number(), kMostRepeats); n > 0; --n) {
      request.set_part(++part_);
      SendAsItIs(MessageKind::kPushRoundRequest, request, "");
    }
  }

  void WriteNothing() {
    auto request = With<v1::WriteRowsRequest>(0);
    request.set_name("t");
    request.set_oldest_open(1);
    for (uint64_t n = std::min(script_.Number(), kMostRepeats); n > 0; --n) {
      request.set_sequence(++sequence_);
      SendAsItIs(MessageKind::kWriteRowsRequest, request, "");
    }
  }

  void CreateWithUnknown() {
    auto request = With<v1::CreateTensorRequest>(0);
    auto& spec = *request.mutable_spec();
    spec.set_name("u");
    spec.set_num_rows(1);
    spec.set_dtype(static_cast<uint32_t>(DType::kFloat32));
    const size_t size = std::min(script_.Number(), kMostUnknownBytes);
    spec.GetReflection()->MutableUnknownFields(&spec)->AddLengthDelimited(
        99, std::string(size, 'u'));
    SendAsItIs(MessageKind::kCreateTensorRequest, request, "");
  }

  // Returns a request of rank `rank`.
  template <typename Request>
  Request With(uint32_t rank) const {
    Request request;
    auto& ref = *request.mutable_attempt();
    const auto& digest = FuzzGraph()->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(attempt_);
    ref.set_rank(rank);
    ref.set_client(rank + 1);
    return request;
  }

  // Changes the request as the script says, and sends it.
  template <typename Request>
  void Send(MessageKind kind, Request request, std::string payload = "") {
    script_.Change(request);
    script_.ChangePayload(payload);
    SendAsItIs(kind, request, std::move(payload));
  }
  template <typename Request>
  void SendAsItIs(MessageKind kind, const Request& request,
                  std::string payload) {
    Current().Send(MakeMessage(kind, next_id_++, request.SerializeAsString(),
                               std::move(payload)));
  }

  FuzzCaller& Current() {
    auto& caller = callers_[stream_];
    if (caller == nullptr) {
      caller = std::make_unique<FuzzCaller>(world_.Connect(StreamMethod::kData),
                                            MaxReplyBytes);
    }
    return *caller;
  }

  // Lets time pass; after some of it nothing is under way.
  void Rest(absl::Duration time) {
    world_.Run(time);
    if (time >= kRest) CheckHeld();
  }

  // What the process holds more than at the beginning is counted, but for what
  // the callers of this test keep.
  void CheckHeld() {
    const TensorStore& tensors = world_.service().tensors();
    size_t counted = tensors.memory().used() + tensors.staging().used();
    for (const BudgetState& budget : world_.service().shared_budgets()) {
      counted += budget.used;
    }
    for (const auto& [number, caller] : callers_) {
      counted += caller->held_bytes();
    }
    const int64_t held = HeldBytes() - held_before_;
    if (held <= static_cast<int64_t>(counted) + kNoise) return;
    all_is_counted_ = false;
    std::fprintf(stderr, "held %lld bytes, counted %zu\n",
                 static_cast<long long>(held), counted);
  }

  void CheckBudgets() {
    const TensorStore& tensors = world_.service().tensors();
    Must(tensors.memory().used() <= tensors.memory().limit(),
         "tensors stay within --tensor-memory");
    Must(tensors.staging().used() <= tensors.staging().limit(),
         "and gradients within theirs");
  }

  Script script_;
  ServiceWorld world_;
  const int64_t held_before_ = HeldBytes();
  std::map<uint64_t, std::unique_ptr<FuzzCaller>> callers_;
  uint64_t stream_ = 0;
  uint64_t next_id_ = 1;
  uint64_t sequence_ = 0;
  uint64_t attempt_ = 1;
  uint32_t part_ = 0;
  bool all_is_counted_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Identity identity = FuzzIdentity({data, size});
  // What is made once per process, as descriptors are, is there the second
  // time.
  if (!Run(Script({data, size}), identity).All()) {
    Must(Run(Script({data, size}), identity).All(),
         "all that is held is counted");
  }
  return 0;
}

}  // namespace tributary
