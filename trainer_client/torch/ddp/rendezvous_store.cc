#include "trainer_client/torch/ddp/rendezvous_store.h"

#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"

namespace tributary {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes ToBytes(const std::string& text) { return {text.begin(), text.end()}; }
std::string ToText(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

absl::Status OtherRun(const std::string& address, const std::string& there,
                      const std::string& own) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the run at ", address, " is ", there, ", and this one is ", own,
      "; allowed: another --master-addr or --master-port for each run, and on "
      "all machines of one run the same --run-id, or the same command line "
      "but --node-rank"));
}

std::string AttemptPrefix(int attempt) {
  return absl::StrCat("attempt/", attempt, "/");
}

std::string FailuresKey(int attempt) {
  return absl::StrCat("launch/", attempt, "/failures");
}

struct RendezvousStore::Connection {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

RendezvousStore::RendezvousStore(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

RendezvousStore::~RendezvousStore() = default;

absl::StatusOr<std::unique_ptr<RendezvousStore>> RendezvousStore::Serve(
    ListenSocket socket) {
  auto connection = std::make_unique<Connection>();
  RETURN_IF_ERROR(CatchTorch("serve the store", [&] {
    c10d::TCPStoreOptions options;
    options.port = socket.port;
    options.isServer = true;
    options.waitWorkers = false;
    options.masterListenFd = socket.fd;
    connection->store =
        c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
    return absl::OkStatus();
  }));
  return std::unique_ptr<RendezvousStore>(
      new RendezvousStore(std::move(connection)));
}

absl::StatusOr<std::unique_ptr<RendezvousStore>> RendezvousStore::Connect(
    const std::string& host, uint16_t port, absl::Duration timeout) {
  auto connection = std::make_unique<Connection>();
  const absl::Status status = CatchTorch("connect", [&] {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.waitWorkers = false;
    options.timeout = absl::ToChronoMilliseconds(timeout);
    connection->store = c10::make_intrusive<c10d::TCPStore>(host, options);
    return absl::OkStatus();
  });
  if (!status.ok()) {
    return absl::UnavailableError(absl::StrCat(
        "no store at ", host, ":", port, ": ", std::string(status.message())));
  }
  return std::unique_ptr<RendezvousStore>(
      new RendezvousStore(std::move(connection)));
}

absl::Status RendezvousStore::Set(const std::string& key,
                                  const std::string& value) {
  return CatchTorch("set", [&] {
    connection_->store->set(key, ToBytes(value));
    // The store does not answer a set. It takes the requests of a connection in
    // turn: after this answer every client sees the value.
    connection_->store->check({key});
    return absl::OkStatus();
  });
}

absl::StatusOr<std::string> RendezvousStore::SetIfAbsent(
    const std::string& key, const std::string& value) {
  std::string now;
  RETURN_IF_ERROR(CatchTorch("set", [&] {
    now = ToText(connection_->store->compareSet(key, {}, ToBytes(value)));
    return absl::OkStatus();
  }));
  return now;
}

absl::StatusOr<std::optional<std::string>> RendezvousStore::Get(
    const std::string& key) {
  std::optional<std::string> value;
  RETURN_IF_ERROR(CatchTorch("get", [&] {
    if (connection_->store->check({key})) {
      value = ToText(connection_->store->get(key));
    }
    return absl::OkStatus();
  }));
  return value;
}

absl::StatusOr<int64_t> RendezvousStore::Add(const std::string& key,
                                             int64_t delta) {
  int64_t sum = 0;
  RETURN_IF_ERROR(CatchTorch("add", [&] {
    sum = connection_->store->add(key, delta);
    return absl::OkStatus();
  }));
  return sum;
}

}  // namespace tributary
