#include "cli/status_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/parse_header.h"
#include "cli/arguments.h"
#include "common/fleet/discovery.h"
#include "common/mutex.h"
#include "common/proto/wire.pb.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "partition/format/schema.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(One line per server, by address:
  127.0.0.1:50051 ready graph=cora layout=1c4d5a926af97e70 partitions=0,1/4 peers=1/1 budget=1073741824
  127.0.0.1:50052 UNAVAILABLE: ...
Fails when a server does not answer, or none is listed.
Example:
  tributary status --servers 10.0.0.1:50051,10.0.0.2:50051)";

// What is still being waited for, and what has come.
template <typename T>
class Inbox {
 public:
  void Put(T value) {
    MutexLock lock(mutex_);
    values_.push_back(std::move(value));
    changed_.NotifyAll();
  }
  // So many, or as many as came by then.
  std::vector<T> Take(size_t count, absl::Duration timeout) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
    MutexLock lock(mutex_);
    while (values_.size() < count && changed_.WaitUntil(mutex_, deadline)) {
    }
    return std::move(values_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<T> values_ ABSL_GUARDED_BY(mutex_);
};

struct Answer {
  Address address;
  absl::StatusOr<CallReply> reply;
};

absl::StatusOr<std::string> Describe(const CallReply& reply) {
  ASSIGN_OR_RETURN(const auto described,
                   ParseHeader<v1::DescribeReply>(reply.kind, reply.header));
  ASSIGN_OR_RETURN(const GraphSchema schema,
                   GraphSchema::FromJson(described.graph_json()));
  int healthy = 0;
  for (const v1::PeerState& peer : described.peers()) {
    healthy += peer.healthy() ? 1 : 0;
  }
  return absl::StrCat(
      described.draining() ? "draining" : "ready", " graph=", schema.name,
      " layout=", ToHex(schema.layout_digest).substr(0, 16),
      " partitions=", absl::StrJoin(described.partitions(), ","), "/",
      schema.num_partitions, " peers=", healthy, "/", described.peers_size(),
      " budget=", described.budget_bytes());
}

class StatusCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "status", "Say which servers of a fleet answer, and what they hold.");
    app->add_option("--servers", servers_,
                    "HOST:PORT,... | file:PATH | dns:///NAME:PORT")
        ->required();
    app->add_option("--timeout", timeout_, "Seconds to wait for an answer")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run() override {
    auto source = ParseDiscoverySource(servers_);
    if (!source.ok()) {
      return UsageError(
          absl::StrCat("--servers: ", std::string(source.status().message())));
    }
    ASSIGN_OR_RETURN(const absl::Duration timeout,
                     ParseSeconds("--timeout", timeout_, absl::Milliseconds(1),
                                  absl::Hours(1)));
    ThreadPool pool("status", 1);
    ASSIGN_OR_RETURN(const std::vector<Address> addresses,
                     List(*std::move(source), timeout, pool));
    return Print(Ask(addresses, timeout, pool));
  }

 private:
  // The source's first reading.
  static absl::StatusOr<std::vector<Address>> List(DiscoverySource source,
                                                   absl::Duration timeout,
                                                   ThreadPool& pool) {
    SystemHostResolver resolver;
    auto inbox = std::make_shared<Inbox<ServerListing>>();
    auto strand = std::make_shared<Strand>(&pool);
    auto discovery =
        std::make_shared<Discovery>(std::move(source), strand, &resolver);
    strand->Post([discovery, inbox] {
      discovery->Start([inbox](const ServerListing& l) { inbox->Put(l); });
    });
    std::vector<ServerListing> listings = inbox->Take(1, timeout);
    auto stopped = std::make_shared<Inbox<bool>>();
    strand->Post([discovery, stopped] {
      discovery->Stop();
      stopped->Put(true);
    });
    stopped->Take(1, timeout);
    if (listings.empty()) {
      return absl::DeadlineExceededError("--servers: no list in time");
    }
    RETURN_IF_ERROR(listings.front().problem);
    if (listings.front().addresses.empty()) {
      return absl::NotFoundError("--servers: the list is empty");
    }
    return std::move(listings.front().addresses);
  }

  static std::map<Address, absl::StatusOr<CallReply>> Ask(
      const std::vector<Address>& addresses, absl::Duration timeout,
      ThreadPool& pool) {
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    auto inbox = std::make_shared<Inbox<Answer>>();
    GrpcTransport transport;
    std::vector<std::unique_ptr<CallClient>> clients;
    for (const Address& address : addresses) {
      clients.push_back(std::make_unique<CallClient>(
          &transport, address, StreamMethod::kControl, &pool));
      clients.back()->Call(
          {MessageKind::kDescribeRequest, request.SerializeAsString()},
          pool.Now() + timeout, 0,
          [inbox, address](absl::StatusOr<CallReply> reply) {
            inbox->Put({address, std::move(reply)});
          });
    }
    std::map<Address, absl::StatusOr<CallReply>> answers;
    // Each call ends by its deadline; the margin is for a slow machine.
    for (Answer& a :
         inbox->Take(addresses.size(), timeout + absl::Seconds(5))) {
      answers.emplace(a.address, std::move(a.reply));
    }
    return answers;
  }

  static absl::Status Print(
      const std::map<Address, absl::StatusOr<CallReply>>& answers) {
    int silent = 0;
    for (const auto& [address, reply] : answers) {
      absl::StatusOr<std::string> text =
          reply.ok() ? Describe(*reply) : reply.status();
      if (!text.ok()) ++silent;
      std::printf("%s %s\n", address.ToString().c_str(),
                  text.ok() ? text->c_str() : text.status().ToString().c_str());
    }
    if (silent == 0) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(silent, " of ", answers.size(),
                                               " servers did not answer"));
  }

  std::string servers_;
  std::string timeout_ = "5";
};

}  // namespace

std::unique_ptr<Command> MakeStatusCommand() {
  return std::make_unique<StatusCommand>();
}

}  // namespace tributary
