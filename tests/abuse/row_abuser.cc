#include "tests/abuse/row_abuser.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/graph_reads.pb.h"
#include "common/session/feature_dtype.h"
#include "common/tensor/dtype.h"

namespace tributary {
namespace {

constexpr absl::Duration kTimeout = absl::Minutes(10);
constexpr absl::Duration kPause = absl::Milliseconds(20);
constexpr size_t kMaxBytes = size_t{4} << 20;
constexpr uint32_t kDim = 16;
constexpr uint64_t kMaxGraphReadItems = 65'536;
constexpr int kManyTensors = 400;

struct Request {
  MessageKind kind{};
  std::string header;
  std::shared_ptr<const std::string> payload;
};

template <typename Proto>
Request Make(MessageKind kind, const Proto& header,
             std::shared_ptr<const std::string> payload = nullptr) {
  return {kind, header.SerializeAsString(), std::move(payload)};
}

v1::TensorSpec Spec(const std::string& name, uint64_t rows, uint32_t dim,
                    v1::InitialKind initial) {
  v1::TensorSpec spec;
  spec.set_name(name);
  spec.set_num_rows(rows);
  spec.set_dim(dim);
  spec.set_dtype(static_cast<uint32_t>(DType::kFloat32));
  spec.mutable_initial()->set_kind(initial);
  spec.mutable_initial()->set_high(1);
  return spec;
}

// Rows 0, 1, ..., and zeros for their values.
std::shared_ptr<const std::string> Payload(uint64_t rows, size_t bytes_each) {
  auto payload = std::make_shared<std::string>(rows * (8 + bytes_each), '\0');
  for (uint64_t row = 0; row < rows; ++row) {
    std::memcpy(payload->data() + 8 * row, &row, 8);
  }
  return payload;
}

}  // namespace

absl::Span<const NamedRowAbuse> RowAbuses() {
  static constexpr NamedRowAbuse kAbuses[] = {
      {RowAbuse::kCopies, "copies"},
      {RowAbuse::kWideReads, "wide-reads"},
      {RowAbuse::kAdditions, "additions"},
      {RowAbuse::kRounds, "rounds"},
      {RowAbuse::kExports, "exports"},
      {RowAbuse::kLists, "lists"},
      {RowAbuse::kLongOpens, "long-opens"},
      {RowAbuse::kWideOpens, "wide-opens"},
      {RowAbuse::kLocates, "locates"},
      {RowAbuse::kSmallCalls, "small-calls"},
      {RowAbuse::kFetches, "fetches"},
      {RowAbuse::kConversions, "conversions"},
  };
  return kAbuses;
}

class RowAbuser::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Transport* transport, Executor* executor, RowAbuserOptions options)
      : options_(std::move(options)),
        executor_(executor),
        strand_(std::make_shared<Strand>(executor)) {
    for (int i = 0; i < options_.streams; ++i) {
      streams_.push_back(std::make_unique<CallClient>(
          transport, options_.server, StreamMethod::kData, executor));
    }
  }

  void Start() {
    strand_->Post([self = shared_from_this()] {
      self->PlanSetUp();
      self->SetUp();
    });
  }
  void Stop() {
    stopped_ = true;
    for (auto& stream : streams_) {
      stream->Close(absl::CancelledError("the abuse is over"));
    }
  }

  std::atomic<bool> started{false};
  std::atomic<uint64_t> answered{0};

 private:
  v1::AttemptRef Ref() {
    v1::AttemptRef ref;
    ref.set_job(options_.job);
    const auto& digest = options_.schema->content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(attempt_);
    ref.set_client(options_.client);
    return ref;
  }

  // `address` is that of this server; `others` more have made-up ones.
  Request Open(const std::string& address, int others) {
    v1::OpenAttemptRequest request;
    *request.mutable_attempt() = Ref();
    request.set_world(1);
    v1::TensorMember& self = *request.add_members();
    self.set_address(address);
    self.set_incarnation(options_.incarnation);
    for (int i = 0; i < others; ++i) {
      request.add_members()->set_address(
          absl::StrCat(std::string(200, 'x'), i, ":1"));
    }
    return Make(MessageKind::kOpenAttemptRequest, request);
  }

  void Plan(const v1::TensorSpec& spec, bool steps = false) {
    v1::CreateTensorRequest create;
    *create.mutable_attempt() = Ref();
    *create.mutable_spec() = spec;
    plan_.push_back(Make(MessageKind::kCreateTensorRequest, create));
    if (!steps) return;
    v1::AttachOptimizerRequest attach;
    *attach.mutable_attempt() = Ref();
    attach.set_name(spec.name());
    attach.set_optimizer(v1::SPARSE_ADAM);
    plan_.push_back(Make(MessageKind::kAttachOptimizerRequest, attach));
  }

  void PlanSetUp() {
    plan_.push_back(Open(options_.server.ToString(), 0));
    switch (options_.abuse) {
      case RowAbuse::kCopies:
        Plan(Spec("a", options_.rows, kDim, v1::INITIAL_NORMAL));
        Plan(Spec("b", options_.rows, kDim, v1::INITIAL_NORMAL));
        break;
      case RowAbuse::kWideReads:
        Plan(
            Spec("a", options_.rows * kDim >> 14, 1 << 14, v1::INITIAL_NORMAL));
        break;
      case RowAbuse::kAdditions:
        Plan(Spec("a", options_.rows, kDim, v1::INITIAL_NORMAL));
        break;
      case RowAbuse::kRounds:
        Plan(Spec("a", options_.rows, kDim, v1::INITIAL_ZEROS), true);
        break;
      case RowAbuse::kExports: {
        v1::TensorSpec spec =
            Spec("a", options_.rows * kDim, 0, v1::INITIAL_ZEROS);
        spec.set_dtype(static_cast<uint32_t>(DType::kUint8));
        Plan(spec);
        break;
      }
      case RowAbuse::kLists:
        for (int i = 0; i < kManyTensors; ++i) {
          v1::TensorSpec spec = Spec(absl::StrCat(i), 1, 0, v1::INITIAL_ZEROS);
          // A server may refuse what it does not know.
          spec.GetReflection()->MutableUnknownFields(&spec)->AddLengthDelimited(
              999, std::string(255 << 10, 'x'));
          Plan(spec);
          spec.DiscardUnknownFields();
          spec.set_policy(std::string(300, 'x'));
          Plan(spec);
        }
        break;
      default:
        break;
    }
  }

  void SetUp() {
    if (stopped_) return;
    if (planned_ == plan_.size()) {
      started = true;
      for (auto& stream : streams_) {
        for (int i = 0; i < Outstanding(); ++i) Flood(*stream, Next());
        // Rounds that wait for earlier ones would take the room of these.
        if (options_.abuse == RowAbuse::kRounds) break;
      }
      return;
    }
    Send(*streams_[0], plan_[planned_],
         [self = shared_from_this()](const absl::Status&) {
           ++self->planned_;
           self->SetUp();
         });
  }

  // What was refused for want of room is sent again, a little later. `stream`
  // lives as long as this.
  void Flood(CallClient& stream, Request request) {
    if (stopped_) return;
    if (options_.pause && options_.pause()) {
      return FloodLater(stream, std::move(request));
    }
    auto again = [self = shared_from_this(), &stream,
                  request](const absl::Status& status) {
      ++self->answered;
      if (!absl::IsResourceExhausted(status)) {
        return self->Flood(stream, self->Next());
      }
      self->FloodLater(stream, request);
    };
    Send(stream, request, std::move(again));
  }
  void FloodLater(CallClient& stream, Request request) {
    strand_->PostAfter(kPause, [self = shared_from_this(), &stream,
                                request = std::move(request)] {
      self->Flood(stream, request);
    });
  }
  int Outstanding() const {
    if (options_.abuse == RowAbuse::kRounds) return 2;
    return options_.abuse == RowAbuse::kSmallCalls ? 200 : options_.outstanding;
  }

  Request Next() {
    switch (options_.abuse) {
      case RowAbuse::kCopies: {
        v1::CopyTensorRequest request;
        *request.mutable_attempt() = Ref();
        request.set_from("a");
        request.set_to("b");
        return Make(MessageKind::kCopyTensorRequest, request);
      }
      case RowAbuse::kWideReads:
        return Read(options_.rows * kDim >> 14, 64);
      case RowAbuse::kAdditions:
        return Add();
      case RowAbuse::kRounds:
        return Round();
      case RowAbuse::kExports: {
        v1::ExportRowsRequest request;
        *request.mutable_attempt() = Ref();
        request.set_name("a");
        request.set_max_reply_bytes(1 << 20);
        return Make(MessageKind::kExportRowsRequest, request);
      }
      case RowAbuse::kLists:
        return List();
      case RowAbuse::kLongOpens:
        ++attempt_;
        return Open(std::string(255 << 10, 'x'), 0);
      case RowAbuse::kWideOpens:
        ++attempt_;
        return Open(options_.server.ToString(), 1023);
      case RowAbuse::kLocates:
        return Locate();
      case RowAbuse::kSmallCalls: {
        v1::JoinAttemptRequest request;
        *request.mutable_attempt() = Ref();
        return Make(MessageKind::kJoinAttemptRequest, request);
      }
      case RowAbuse::kFetches:
        return fetched_++ % 2 == 0 ? Locate() : Fetch(FeatureDType::kStored);
      case RowAbuse::kConversions:
        return Fetch(FeatureDType::kInt8);
    }
    return {};
  }

  Request Read(uint64_t rows, uint64_t most) {
    if (payload_ == nullptr) payload_ = Payload(std::min(rows, most), 0);
    v1::ReadRowsRequest request;
    *request.mutable_attempt() = Ref();
    request.set_name("a");
    request.set_num_rows(payload_->size() / 8);
    request.set_max_reply_bytes(kMaxBytes);
    request.set_timeout_ms(600'000);
    return Make(MessageKind::kReadRowsRequest, request, payload_);
  }

  // Its rows are new as long as there are such.
  Request Add() {
    const uint64_t rows = kMaxBytes / (8 + 4 * kDim);
    auto payload = std::make_shared<std::string>(rows * (8 + 4 * kDim), '\0');
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t row = next_row_++ % options_.rows;
      std::memcpy(payload->data() + 8 * i, &row, 8);
    }
    v1::WriteRowsRequest request;
    *request.mutable_attempt() = Ref();
    request.set_name("a");
    request.set_op(v1::WRITE_ADD);
    request.set_num_rows(rows);
    request.set_sequence(++sequence_);
    request.set_oldest_open(sequence_ -
                            std::min<uint64_t>(sequence_ - 1, 1000));
    return Make(MessageKind::kWriteRowsRequest, request, std::move(payload));
  }

  Request Round() {
    const uint64_t rows =
        std::min<uint64_t>(options_.rows, kMaxBytes / (8 + 4 * kDim));
    if (payload_ == nullptr) payload_ = Payload(rows, 4 * kDim);
    v1::PushRoundRequest request;
    *request.mutable_attempt() = Ref();
    request.set_round(++round_);
    request.set_closes(true);
    auto& push = *request.add_pushes();
    push.set_name("a");
    push.set_num_rows(rows);
    push.mutable_step()->set_learning_rate(0.1);
    push.mutable_step()->set_beta1(0.9);
    push.mutable_step()->set_beta2(0.99);
    push.mutable_step()->set_eps(1e-8);
    return Make(MessageKind::kPushRoundRequest, request, payload_);
  }

  Request List() {
    v1::ListTensorsRequest request;
    request.set_job(options_.job);
    return Make(MessageKind::kListTensorsRequest, request);
  }

  Request Locate() {
    if (payload_ == nullptr) {
      payload_ = std::make_shared<std::string>(8 * kMaxGraphReadItems, '\0');
    }
    auto request = ReadRequestOf<v1::LocateNodesRequest>();
    request.set_num_ids(kMaxGraphReadItems);
    return Make(MessageKind::kLocateNodesRequest, request, payload_);
  }

  // As many rows as a loader asks for at once, of one partition and type.
  Request Fetch(FeatureDType dtype) {
    constexpr size_t kBytes = size_t{1} << 20;
    const NodeTypeSchema& type = options_.schema->node_types[0];
    const auto nodes = static_cast<uint64_t>(type.base[1] - type.base[0]);
    const uint64_t rows = std::clamp<uint64_t>(kBytes / type.x->row_bytes(), 1,
                                               kMaxGraphReadItems);
    auto payload = std::make_shared<std::string>(8 * rows, '\0');
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t row = next_row_++ * 7919 % nodes;
      std::memcpy(payload->data() + 8 * i, &row, 8);
    }
    auto request = ReadRequestOf<v1::ReadColumnRequest>();
    request.set_node_type(0);
    request.set_column(v1::STORED_COLUMN_X);
    request.set_feature_dtype(static_cast<uint32_t>(dtype));
    request.set_num_rows(rows);
    return Make(MessageKind::kReadColumnRequest, request, std::move(payload));
  }

  template <typename Read>
  Read ReadRequestOf() const {
    Read request;
    const auto& digest = options_.schema->layout_digest;
    request.set_layout_digest(digest.data(), digest.size());
    request.set_timeout_ms(600'000);
    return request;
  }

  // Calls `then` on the strand, whatever the answer.
  void Send(CallClient& stream, const Request& request,
            std::function<void(const absl::Status&)> then) {
    CallRequest call;
    call.kind = request.kind;
    call.header = request.header;
    if (request.payload != nullptr) {
      call.payload = {reinterpret_cast<const uint8_t*>(request.payload->data()),
                      request.payload->size()};
      call.payload_owner = request.payload;
    }
    stream.Call(
        std::move(call), executor_->Now() + kTimeout, kMaxBytes,
        [strand = strand_,
         then = std::move(then)](const absl::StatusOr<CallReply>& reply) {
          strand->Post([then, status = reply.status()] { then(status); });
        });
  }

  const RowAbuserOptions options_;
  Executor* const executor_;
  const std::shared_ptr<Strand> strand_;
  std::atomic<bool> stopped_{false};
  std::vector<std::unique_ptr<CallClient>> streams_;
  std::vector<Request> plan_;
  size_t planned_ = 0;
  std::shared_ptr<const std::string> payload_;
  uint64_t attempt_ = 1;
  uint64_t next_row_ = 0;
  uint64_t sequence_ = 0;
  uint64_t round_ = 0;
  uint64_t fetched_ = 0;
};

RowAbuser::RowAbuser(Transport* transport, Executor* executor,
                     RowAbuserOptions options)
    : core_(std::make_shared<Core>(transport, executor, std::move(options))) {}
RowAbuser::~RowAbuser() { core_->Stop(); }
void RowAbuser::Start() { core_->Start(); }
bool RowAbuser::started() const { return core_->started; }
uint64_t RowAbuser::answered() const { return core_->answered; }

}  // namespace tributary
