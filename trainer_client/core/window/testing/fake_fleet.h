// A fleet without connections, for tests of the loader's policies.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_TESTING_FAKE_FLEET_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_TESTING_FAKE_FLEET_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"
#include "trainer_client/core/fleet/batch_fleet.h"
#include "trainer_client/core/window/loader_state.h"

namespace tributary {

// Records what is asked of it.
class FakeServer final : public BatchServer {
 public:
  explicit FakeServer(std::string host) : address_{std::move(host), 1} {}

  const Address& address() const override { return address_; }
  uint64_t incarnation() const override { return 1; }
  uint64_t largest_credit() const override { return largest; }
  const absl::Status& problem() const override { return why; }
  void RequestBatch(CreditRequest request) override {
    requests.push_back(std::move(request));
  }
  void PauseRequests(absl::Duration how_long) override { paused = how_long; }
  void Disconnect(absl::Status status) override { why = std::move(status); }

  uint64_t largest = UINT64_MAX;
  std::vector<CreditRequest> requests;
  absl::Duration paused;
  absl::Status why;  // not OK: disconnected

 private:
  const Address address_;
};

// Answers as the test has set it.
class FakeFleet final : public BatchFleet {
 public:
  BatchServer* Choose(const Choice& choice) const override {
    choices.push_back(choice);
    const auto excluded = [&](const BatchServer* server) {
      return server != nullptr &&
             std::count(choice.refused_by.begin(), choice.refused_by.end(),
                        server->address()) > 0;
    };
    return excluded(choose) ? choose_else : choose;
  }
  void Cancel(const BatchRef& batch, const BatchServer* keep) override {
    cancelled.emplace_back(batch.index, keep);
  }
  void CancelAll() override {}
  bool IsRequested(const BatchRef& batch) const override {
    return std::count(requested.begin(), requested.end(), batch.index) > 0;
  }
  size_t num_open_grants() const override { return 0; }
  size_t num_up() const override { return up; }
  bool AnyUpBeside(const std::vector<Address>& servers) const override {
    return up > servers.size();
  }
  bool AnyMayComeBeside(const std::vector<Address>& servers) const override {
    return listed > servers.size();
  }
  FleetLosses losses() const override { return {0, absl::Hours(1)}; }
  std::vector<BatchRef> FindSilent() override { return silent; }
  std::vector<BatchRef> FindLate(absl::Duration) const override { return late; }
  DeathRecord::Fate FateOf(const DeathRecord::Holder&) const override {
    return fate;
  }

  BatchServer* choose = nullptr;
  BatchServer* choose_else = nullptr;  // where `choose` is excluded
  size_t up = 2;
  size_t listed = 2;
  std::vector<uint64_t> requested;  // by index, of any server
  std::vector<BatchRef> silent;
  std::vector<BatchRef> late;
  DeathRecord::Fate fate = DeathRecord::Fate::kUnknown;
  mutable std::vector<Choice> choices;
  std::vector<std::pair<uint64_t, const BatchServer*>> cancelled;
};

// 10 inputs with the original ids 1000 to 1009, in batches of 2, not shuffled:
// batch i has the inputs 2i and 2i + 1. A ring of 64 KiB, 16 units; credits of
// a fourth of it at first.
inline LoaderState MakeLoaderState() {
  LoaderSession session;
  session.identity = Sha256Of("the specification");
  session.inputs = Sha256Of("the inputs");
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 10; ++i) ids.push_back(1000 + i);
  session.input_ids = std::make_shared<const std::vector<int64_t>>(ids);
  session.order = {.num_inputs = 10, .batch_size = 2, .shuffle = false};
  return LoaderState(
      session, BatchRooms(SlotRing::Create(64 << 10), "buffer_size", 4, 0));
}

// Writes an empty batch with that key into the slot; returns its size.
inline uint64_t WriteBatch(const BatchKey& key, ReceiveSlot& slot) {
  BatchLayout layout(key);
  AlignedBuffer room(layout.Finish());
  layout.WriteHeader(room.span());
  std::memcpy(slot.bytes().data(), room.span().data(), room.size());
  return room.size();
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_TESTING_FAKE_FLEET_H_
