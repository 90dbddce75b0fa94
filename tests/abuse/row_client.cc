// A client of mutable rows of a real server. With --abuse it is hostile until
// it is ended, and prints "ready" when the abuse begins. Without, it reads rows
// one call after the other; for each line on its standard input, a number of
// seconds, it prints how many reads that time took.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "channel/envelope.h"
#include "common/fleet/address.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/promised.h"
#include "common/runtime/thread_pool.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "tests/abuse/hostile_transport.h"
#include "tests/abuse/row_abuser.h"

namespace tributary {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(50);

template <typename T>
absl::StatusOr<T> WaitFor(Promised<absl::StatusOr<T>>& promised) {
  auto value = promised.Wait(kTimeout);
  if (!value.has_value()) return absl::UnknownError("no answer came");
  return *std::move(value);
}

// Asks the server for its incarnation.
absl::StatusOr<uint64_t> IncarnationOf(Transport* transport,
                                       const Address& server,
                                       Executor* executor) {
  CallClient calls(transport, server, StreamMethod::kControl, executor);
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  request.set_any(true);
  auto answered = std::make_shared<Promised<absl::StatusOr<std::string>>>();
  calls.Call({MessageKind::kDescribeRequest, request.SerializeAsString()},
             executor->Now() + kTimeout, size_t{4} << 20,
             [answered](absl::StatusOr<CallReply> reply) {
               if (!reply.ok()) return answered->Set(reply.status());
               answered->Set(std::move(reply->header));
             });
  ASSIGN_OR_RETURN(const std::string header, WaitFor(*answered));
  v1::DescribeReply reply;
  if (!reply.ParseFromString(header)) {
    return absl::InternalError("the server does not describe itself");
  }
  return reply.incarnation();
}

// Reads the same few rows, one call after the other.
class HonestReader {
 public:
  HonestReader(Transport* transport, Executor* executor,
               const RowAbuserOptions& options)
      : options_(options) {
    v1::AttemptRef ref;
    ref.set_job(options.job);
    const auto& digest = options.schema->content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(1);
    ref.set_client(1);
    caller_ = std::make_unique<TensorCaller>(transport, options.server,
                                             executor, nullptr, ref);
  }

  absl::Status Open() {
    v1::OpenAttemptRequest open;
    open.set_world(1);
    v1::TensorMember& member = *open.add_members();
    member.set_address(options_.server.ToString());
    member.set_incarnation(options_.incarnation);
    RETURN_IF_ERROR(
        Ask<v1::OpenAttemptReply>(MessageKind::kOpenAttemptRequest, open));
    v1::CreateTensorRequest create;
    *create.mutable_spec() = FloatSpec("t", 1000, 64);
    return Ask<v1::CreateTensorReply>(MessageKind::kCreateTensorRequest,
                                      create);
  }

  absl::StatusOr<int> ReadFor(absl::Duration time) {
    const std::vector<uint64_t> rows = {1, 5, 70, 99, 500, 640, 800, 999};
    v1::ReadRowsRequest request;
    request.set_name("t");
    request.set_num_rows(rows.size());
    request.set_max_reply_bytes(1 << 20);
    request.set_timeout_ms(50'000);
    int reads = 0;
    const absl::Time end = SteadyClock().Now() + time;
    while (SteadyClock().Now() < end) {
      RETURN_IF_ERROR(Ask<v1::ReadRowsReply>(MessageKind::kReadRowsRequest,
                                             request,
                                             RowsAndValues<uint8_t>(rows, {})));
      ++reads;
    }
    return reads;
  }

 private:
  template <typename Reply, typename Request>
  absl::Status Ask(MessageKind kind, const Request& request,
                   std::vector<uint8_t> payload = {}) {
    auto answered = std::make_shared<Promised<absl::Status>>();
    caller_->Start<Reply>(
        kind, request, std::move(payload),
        [answered](const auto& reply) { answered->Set(reply.status()); });
    return answered->Wait(kTimeout).value_or(
        absl::UnknownError("no answer came"));
  }

  const RowAbuserOptions options_;
  std::unique_ptr<TensorCaller> caller_;
};

absl::Status Answer(HonestReader& reader) {
  RETURN_IF_ERROR(reader.Open());
  std::printf("ready\n");
  std::fflush(stdout);
  for (double seconds; std::cin >> seconds;) {
    ASSIGN_OR_RETURN(const int reads, reader.ReadFor(absl::Seconds(seconds)));
    std::printf("%d\n", reads);
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

// Returns a function that says whether this process has taken more CPU time
// than `cores` allow it. What it leaves is not saved up.
std::function<bool()> CpuLimit(double cores) {
  struct Taken {
    absl::Duration cpu = ProcessCpuTime();
    absl::Time at = SteadyClock().Now();
  };
  return [cores, last = Taken(), ahead = absl::ZeroDuration()]() mutable {
    const Taken now;
    ahead += now.cpu - last.cpu - cores * (now.at - last.at);
    ahead = std::max(ahead, absl::ZeroDuration());
    last = now;
    return ahead > absl::ZeroDuration();
  };
}

void AbuseForEver(Transport* transport, Executor* executor,
                  const RowAbuserOptions& options) {
  RowAbuser abuser(transport, executor, options);
  abuser.Start();
  // It goes on until it is ended.
  for (bool told = false;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    if (told || !abuser.started()) continue;
    std::printf("ready\n");
    std::fflush(stdout);
    told = true;
  }
}

absl::Status Run(const std::string& server, const std::string& folder,
                 const std::string& abuse, const HostileTransport& over,
                 RowAbuserOptions options) {
  ASSIGN_OR_RETURN(options.server, ParseAddress(server));
  ASSIGN_OR_RETURN(const auto graph, Graph::Open(folder));
  options.schema = &graph->schema();
  ThreadPool pool("client", 1);
  ASSIGN_OR_RETURN(const auto transport, over.Make());
  ASSIGN_OR_RETURN(options.incarnation,
                   IncarnationOf(transport.get(), options.server, &pool));
  if (abuse.empty()) {
    HonestReader reader(transport.get(), &pool, options);
    return Answer(reader);
  }
  for (const NamedRowAbuse& one : RowAbuses()) {
    if (abuse != one.name) continue;
    options.abuse = one.abuse;
    AbuseForEver(transport.get(), &pool, options);
  }
  return absl::InvalidArgumentError("no such abuse: " + abuse);
}

int Main(int argc, char** argv) {
  CLI::App app("A client of mutable rows");
  std::string server, folder, abuse;
  HostileTransport over;
  RowAbuserOptions options;
  app.add_option("--server", server)->required();
  app.add_option("--graph", folder, "The server's graph")->required();
  app.add_option("--abuse", abuse, "A name of RowAbuses");
  app.add_option("--job", options.job);
  app.add_option("--rows", options.rows, "Rows of a tensor of 16 columns");
  app.add_option("--streams", options.streams, "Of the abuse");
  app.add_option("--outstanding", options.outstanding, "Calls of each stream");
  double cores = 0;
  app.add_option("--cores", cores,
                 "How much CPU time the abuse takes, of one core; 0: any");
  over.AddFlags(app);
  CLI11_PARSE(app, argc, argv);
  if (cores > 0) options.pause = CpuLimit(cores);
  const absl::Status status = Run(server, folder, abuse, over, options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
