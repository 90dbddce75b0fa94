// A sampling server for tests, with synthetic batches and scripted faults.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_FAKE_SAMPLER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_FAKE_SAMPLER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/testing/sim_network.h"
#include "channel/transport.h"
#include "common/batch/batch_key.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {

// How a FakeSampler answers a credit.
struct FakeAct {
  enum class Kind {
    kServe,
    kNothing,       // drops it, without a sign of life
    kSlow,          // sends progress only
    kError,         // `error`, `retryable`, `retry_after_ms`
    kUnknown,       // answers UnknownSession
    kWrongKey,      // serves another index
    kGap,           // leaves a piece of the batch out
    kHalf,          // sends the first half, then nothing but progress
    kNeedsNothing,  // claims to need less than it was given
    kNeeds,         // `needs` bytes: a lower bound
    kReturn,        // returns it without a batch
    kClose,         // closes the stream with `error`
  };
  Kind kind = Kind::kServe;
  absl::Duration delay = absl::Milliseconds(2);
  absl::Status error;
  bool retryable = true;
  uint64_t retry_after_ms = 0;
  uint64_t needs = 0;
};

// Returns the bytes of a batch, a function of its key and inputs alone:
// `input_id` holds the input numbers, `n_id` the original ids, `x` has `filler`
// bytes.
AlignedBuffer MakeFakeBatch(const BatchKey& key, const v1::Credit& credit,
                            uint64_t filler);

// One server. Gathers into the room that comes with a credit, if any, and sends
// frames otherwise. Runs on its executor alone. A test restarts it after a
// crash by constructing another one from the same settings with a new
// incarnation.
class FakeSampler final : public StreamAcceptor {
 public:
  struct Settings {
    // Runs everything on one thread: a simulated node, or a pool of one.
    Executor* executor = nullptr;
    SimExecutor* node = nullptr;  // in a simulation, the same
    uint64_t incarnation = 1;
    bool draining = false;
    absl::Status refuse;  // not OK: every stream of a trainer is refused so
    absl::Status refuse_session;  // not OK: the end of a stream that opens one
    uint64_t budget_bytes = 0;
    bool takes_wait_reports = true;
    bool answers_cancels = true;
    // false: answers UnknownSession until a stream opens its session again.
    bool knows_sessions = true;
    std::vector<uint32_t> partitions = {0};
    std::vector<std::pair<Address, std::vector<uint32_t>>> peers;
    std::string graph_json;
    std::vector<int64_t> split_ids;  // of the split "train"
    size_t page_ids = 1000;          // ids in a page
    // Change a page of ids, and a description, before they are sent.
    std::function<void(v1::GetInputIdsReply*, std::vector<int64_t>*)>
        change_page;
    std::function<void(v1::DescribeReply*)> change_description;
    absl::Status refuse_pages;  // not OK: the answer to all calls for pages
    // Returns the bytes of `x` of a batch.
    std::function<uint64_t(uint64_t)> filler = [](uint64_t) { return 1000; };
    std::function<FakeAct(const v1::Credit&)> act = [](const v1::Credit&) {
      return FakeAct{};
    };
  };
  explicit FakeSampler(Settings settings);

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

  Settings& settings() { return *settings_; }
  // The number of credits received, by index of their batch.
  const std::map<uint64_t, int>& credits() const { return *credits_; }
  int num_credits() const;
  // The thousandths of the WaitReports received, of all streams.
  const std::vector<uint32_t>& wait_reports() const { return *wait_reports_; }

 private:
  const std::shared_ptr<Settings> settings_;
  const std::shared_ptr<std::map<uint64_t, int>> credits_;
  const std::shared_ptr<std::vector<uint32_t>> wait_reports_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_TESTING_FAKE_SAMPLER_H_
