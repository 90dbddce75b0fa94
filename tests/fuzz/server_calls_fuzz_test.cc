// Fuzzes a server with calls on leaf and control streams: each call gets at
// most one reply, within the size that it asked for, and the server stays
// within its budget and releases all of it. An input is a script (script.h):
//
// clang-format off
//   l, k              selects the leaf or the control stream
//   h changes payload calls SampleHop for 2 nodes of partition 0
//   g changes payload calls Gather of ids, x and y of 2 nodes of partition 0
//   a changes payload, a question: a step of 2 walks from nodes of partition 0
//   b changes payload, a question: whether 2 nodes have a neighbour
//   o changes payload, a question: degrees and first edges of 2 nodes
//   n changes payload, a question: one neighbour of 2 nodes with its edge id
//   d changes         calls Describe
//   i changes         calls GetInputIds of the split train
//   w changes         calls BatchTrace
//   s changes         calls Status
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
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel/envelope.h"
#include "common/proto/questions.pb.h"
#include "common/proto/status.pb.h"
#include "common/proto/wire.pb.h"
#include "tests/fuzz/caller.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/service_world.h"

namespace tributary {
namespace {

constexpr uint64_t kMostRepeats = 400;
constexpr uint64_t kMostMilliseconds = 5000;

template <typename T>
std::string AsBytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string Text(const Sha256Digest& digest) {
  return {digest.begin(), digest.end()};
}

// Returns the largest payload that a request allows its reply.
uint64_t MaxReplyBytes(const OutgoingMessage& message) {
  v1::SampleHopRequest hop;
  v1::GatherRequest gather;
  v1::QuestionRequest ask;
  if (message.kind == MessageKind::kQuestionRequest &&
      ask.ParseFromString(message.header)) {
    return ask.answer_bytes();
  }
  if (message.kind == MessageKind::kSampleHopRequest &&
      hop.ParseFromString(message.header)) {
    return hop.max_reply_bytes();
  }
  if (message.kind == MessageKind::kGatherRequest &&
      gather.ParseFromString(message.header)) {
    return gather.max_reply_bytes();
  }
  return message.kind == MessageKind::kGetInputIdsRequest ? kMaxFrameBytes : 0;
}

class Run {
 public:
  Run(Script script, const Identity& identity)
      : script_(script), world_(identity) {}

  void All() {
    while (!script_.done()) Step(script_.Take());
  }

 private:
  void Step(char what) {
    switch (what) {
      case 'l':
        method_ = StreamMethod::kLeaf;
        return;
      case 'k':
        method_ = StreamMethod::kControl;
        return;
      case 'h':
        return SampleHop();
      case 'g':
        return Gather();
      case 'a':
        return AskWalkSteps();
      case 'b':
        return AskHaveEdges();
      case 'o':
      case 'n':
        return AskAdjacency(what == 'o');
      case 'd': {
        v1::DescribeRequest request;
        request.set_wire_version(kWireVersion);
        script_.Change(request);
        return Send(MessageKind::kDescribeRequest, request.SerializeAsString());
      }
      case 'i':
        return GetInputIds();
      case 'w': {
        v1::BatchTraceRequest request;
        script_.Change(request);
        return Send(MessageKind::kBatchTraceRequest,
                    request.SerializeAsString());
      }
      case 's': {
        v1::StatusRequest request;
        script_.Change(request);
        return Send(MessageKind::kStatusRequest, request.SerializeAsString());
      }
      case 'r': {
        const auto kind = static_cast<MessageKind>(script_.Number());
        std::string header = script_.Text(), payload;
        script_.ChangePayload(payload);
        return Send(kind, std::move(header), std::move(payload));
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
        return world_.Run(absl::Milliseconds(static_cast<int64_t>(
            std::min(script_.Number(), kMostMilliseconds))));
      case 'q':
        return Current().Close();
      default:
        return;
    }
  }

  void SampleHop() {
    v1::SampleHopRequest request;
    request.set_layout_digest(Text(FuzzGraph()->schema().layout_digest));
    request.set_key0(1);
    request.set_key1(2);
    request.set_fanout(2);
    request.set_num_nodes(2);
    request.set_max_reply_bytes(4096);
    request.set_timeout_ms(1000);
    script_.Change(request);
    std::string payload = AsBytes<uint32_t>({0, 1}) + AsBytes<uint64_t>({0, 1});
    script_.ChangePayload(payload);
    Send(MessageKind::kSampleHopRequest, request.SerializeAsString(),
         std::move(payload));
  }

  void Gather() {
    v1::GatherRequest request;
    request.set_layout_digest(Text(FuzzGraph()->schema().layout_digest));
    request.set_node_type(0);
    for (v1::Column column : {v1::COLUMN_ORIG_ID, v1::COLUMN_X, v1::COLUMN_Y}) {
      request.add_columns(column);
    }
    request.set_num_rows(2);
    request.set_max_reply_bytes(4096);
    request.set_timeout_ms(1000);
    script_.Change(request);
    std::string payload = AsBytes<uint64_t>({0, 2});
    script_.ChangePayload(payload);
    Send(MessageKind::kGatherRequest, request.SerializeAsString(),
         std::move(payload));
  }

  void AskWalkSteps() {
    v1::WalkStepsQuestion question;
    question.set_tries(2);
    question.set_walks(2);
    Ask("walk_steps", question,
        AsBytes<uint64_t>({0, 1}) + AsBytes<uint32_t>({0, 1}),
        2 * 2 * sizeof(uint64_t));
  }

  void AskHaveEdges() {
    v1::HaveEdgesQuestion question;
    question.set_pairs(2);
    Ask("have_edges", question, AsBytes<uint64_t>({0, 1, 0, 2}), 2);
  }

  void AskAdjacency(bool rows) {
    v1::AdjacencyQuestion question;
    std::string payload = AsBytes<uint64_t>({0, 1});
    if (rows) {
      question.mutable_rows()->set_rows(2);
      question.mutable_rows()->set_first(true);
    } else {
      question.mutable_neighbors()->set_pieces(2);
      question.mutable_neighbors()->set_edge_ids(true);
      payload += AsBytes<uint64_t>({0, 0, 1, 1});
    }
    Ask("adjacency", question, std::move(payload), 2 * 2 * sizeof(uint64_t));
  }

  template <typename Message>
  void Ask(const char* type, Message& question, std::string payload,
           size_t answer_bytes) {
    script_.Change(question);
    v1::QuestionRequest request;
    request.set_layout_digest(Text(FuzzGraph()->schema().layout_digest));
    request.set_question_type(type);
    request.set_question(question.SerializeAsString());
    request.set_answer_bytes(answer_bytes);
    request.set_timeout_ms(1000);
    script_.Change(request);
    script_.ChangePayload(payload);
    Send(MessageKind::kQuestionRequest, request.SerializeAsString(),
         std::move(payload));
  }

  void GetInputIds() {
    v1::GetInputIdsRequest request;
    request.set_split("train");
    request.set_content_digest(Text(FuzzGraph()->schema().content_digest));
    script_.Change(request);
    Send(MessageKind::kGetInputIdsRequest, request.SerializeAsString());
  }

  void Send(MessageKind kind, std::string header, std::string payload = "") {
    Current().Send(
        MakeMessage(kind, next_id_++, std::move(header), std::move(payload)));
  }

  FuzzCaller& Current() {
    auto& caller = callers_[method_];
    if (caller == nullptr) {
      caller =
          std::make_unique<FuzzCaller>(world_.Connect(method_), MaxReplyBytes);
    }
    return *caller;
  }

  Script script_;
  ServiceWorld world_;
  std::map<StreamMethod, std::unique_ptr<FuzzCaller>> callers_;
  StreamMethod method_ = StreamMethod::kLeaf;
  uint64_t next_id_ = 1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Run(Script({data, size}), FuzzIdentity({data, size})).All();
  return 0;
}

}  // namespace tributary
