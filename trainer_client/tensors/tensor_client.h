// One rank's calls to the servers that hold rows.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_CLIENT_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "common/placement/row_placement.h"
#include "common/proto/tensors.pb.h"
#include "common/runtime/mutex.h"
#include "common/runtime/promised.h"
#include "common/tensor/dtype.h"
#include "trainer_client/tensors/attempt_opener.h"
#include "trainer_client/tensors/member_link.h"

namespace tributary {

class TensorRestorer;

// A tensor of the attempt. Immutable.
struct TensorInfo {
  v1::TensorSpec spec;
  DType dtype = DType::kFloat32;
  size_t width = 1;  // values in a row
  RowPlacement placement;
  // The attempt's member of each member of the placement.
  std::vector<uint32_t> member_of;
  v1::SparseOptimizer optimizer = v1::SPARSE_NONE;

  size_t row_bytes() const { return width * DTypeSize(dtype); }
};

struct TensorClientOptions {
  AttemptOpenerOptions attempt;
  std::string group_name = "default";
  // Runs a simulation until the function returns true; instead of waiting for
  // the executor's threads. Empty: waits.
  std::function<void(const std::function<bool()>&)> run_until;
};

// Holds the connections of this rank to the members of its attempt. Calls wait
// in the caller's thread unless they are said to run on the strand; each ends
// within the attempt's timeout. Once a member is lost, all calls fail with the
// UNAVAILABLE that names it. Thread-safe; held by shared_ptr.
class TensorClient : public std::enable_shared_from_this<TensorClient> {
 public:
  // Opens or joins the attempt and meets all ranks. See AttemptOpener::Open and
  // Meet for errors.
  static absl::StatusOr<std::shared_ptr<TensorClient>> Open(
      TensorClientOptions options);
  // Closes the connections; open calls and later ones fail with CANCELLED. Call
  // it before the transport ends.
  void Close();

  const GraphSchema& schema() const { return opened_.schema; }
  const v1::AttemptRef& ref() const { return opened_.ref; }
  uint32_t rank() const { return options_.attempt.rank; }
  uint32_t world() const { return options_.attempt.world; }
  absl::Duration timeout() const { return options_.attempt.timeout; }
  // Ascending by address.
  const std::vector<RowMember>& members() const { return opened_.members; }
  Strand& strand() const { return *options_.attempt.strand; }

  // A meeting of all ranks; see MeetRequest. One thread makes all of them.
  absl::StatusOr<std::vector<std::string>> Meet(const std::string& purpose,
                                                const std::string& value);

  // Makes a call to each of the members named, all at once, and returns the
  // replies in their order. An error begins with the member's address.
  struct Request {
    uint32_t member = 0;
    MemberCall call;
  };
  std::vector<absl::StatusOr<CallReply>> CallEach(
      std::vector<Request> requests);
  // Calls the members named, or all, with one header; returns the first error.
  // RESOURCE_EXHAUSTED is final. Ends within `limit`, if that is shorter than
  // the timeout.
  absl::Status CallMembers(absl::Span<const uint32_t> members, MessageKind kind,
                           MessageKind reply,
                           const google::protobuf::Message& header,
                           absl::Duration limit = absl::InfiniteDuration());
  absl::Status CallAll(MessageKind kind, MessageKind reply,
                       const google::protobuf::Message& header,
                       absl::Duration limit = absl::InfiniteDuration());

  // Runs `start` on the strand and waits until it has called back.
  template <typename T>
  using Callback = absl::AnyInvocable<void(absl::StatusOr<T>)>;
  template <typename T>
  absl::StatusOr<T> Await(absl::AnyInvocable<void(Callback<T>)> start);

  // On the strand: starts one call.
  void Call(uint32_t member, MemberCall call, MemberLink::Done done);
  // On the strand: the numbers of writes to a member, which are open from Begin
  // to End.
  uint64_t BeginWrite(uint32_t member);
  uint64_t OldestWrite(uint32_t member) const;
  void EndWrite(uint32_t member, uint64_t sequence);

  // Returns when a call that begins now has to end, by the strand's clock.
  absl::Time Deadline() const { return strand().Now() + timeout(); }
  // Returns the time that a server may wait for other ranks, so that its
  // answer, which names them, comes before the call's deadline.
  uint64_t ServerTimeoutMs() const;

  // The tensors of the attempt, by name; null if there is none.
  std::shared_ptr<const TensorInfo> Find(const std::string& name) const;
  std::vector<std::shared_ptr<const TensorInfo>> Tensors() const;
  void Put(std::shared_ptr<const TensorInfo> tensor);
  void Erase(const std::string& name);

  // Rounds of gradients that this rank has closed.
  uint64_t closed_rounds() const { return closed_rounds_; }
  void set_closed_rounds(uint64_t rounds) { closed_rounds_ = rounds; }

  // Whether a member wants to end.
  bool draining() const { return draining_; }
  void NoteDraining(bool draining) {
    if (draining) draining_ = true;
  }

  // How many rows were read that were asked for ahead.
  uint64_t rows_read_ahead() const { return rows_read_ahead_; }
  void NoteReadAhead(size_t rows) { rows_read_ahead_ += rows; }

  // The source of the first rows of tensors that are created; rank 0 only.
  std::shared_ptr<TensorRestorer> restorer() const;
  void set_restorer(std::shared_ptr<TensorRestorer> restorer);

 private:
  struct Writes {
    uint64_t next = 1;
    std::set<uint64_t> open;
  };

  struct Nothing {};

  explicit TensorClient(TensorClientOptions options);
  absl::Status FindAttempt();
  absl::Status Connect();
  void JoinAll(const std::string& request, Callback<Nothing> done);
  absl::Status MeetFirst();
  void CloseLinks(const absl::Status& why);
  void Pause(absl::Duration time);
  absl::Status ParseMeeting(const absl::StatusOr<CallReply>& reply,
                            std::vector<std::string>* values) const;

  const TensorClientOptions options_;
  OpenedAttempt opened_;
  std::vector<std::shared_ptr<MemberLink>> links_;  // on the strand
  std::vector<Writes> writes_;                      // on the strand
  uint64_t meetings_ = 0;
  std::atomic<uint64_t> closed_rounds_{0};
  std::atomic<uint64_t> rows_read_ahead_{0};
  std::atomic<bool> draining_{false};
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<const TensorInfo>> tensors_
      ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<TensorRestorer> restorer_ ABSL_GUARDED_BY(mutex_);
};

template <typename T>
absl::StatusOr<T> TensorClient::Await(
    absl::AnyInvocable<void(Callback<T>)> start) {
  auto promised = std::make_shared<Promised<absl::StatusOr<T>>>();
  auto set = std::make_shared<std::atomic<bool>>(false);
  strand().Post([start = std::move(start), promised, set]() mutable {
    start([promised, set](absl::StatusOr<T> result) {
      promised->Set(std::move(result));
      *set = true;
    });
  });
  if (options_.run_until) {
    options_.run_until([set] { return set->load(); });
  }
  // Beyond the calls' own deadlines, which should always come first.
  auto result =
      promised->Wait(options_.run_until ? absl::ZeroDuration()
                                        : timeout() + absl::Seconds(10));
  if (result.has_value()) return *std::move(result);
  return absl::DeadlineExceededError(
      "the executor of the context does not run its tasks");
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_TENSOR_CLIENT_H_
