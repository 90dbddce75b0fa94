// The batch streams to one server, and the grants that are open on them.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_STREAMS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/batch_ref.h"
#include "trainer_client/core/fleet/batch_stream.h"
#include "trainer_client/core/fleet/open_grant.h"

namespace tributary {

struct ServerStreamsOptions {
  Transport* transport = nullptr;
  Address address;
  std::shared_ptr<Strand> strand;
  int num_streams = 1;
  int grants_per_stream = 4;
  std::string client_name;
};

// Opens the streams of a server together, puts each credit on the stream with
// the fewest, and measures how long grants have been silent. The caller decides
// when to open and close, and receives the streams' events.
//
// All methods run on the strand. Streams that were closed are kept until the
// caller has passed on their OnStreamClosed.
class ServerStreams {
 public:
  explicit ServerStreams(ServerStreamsOptions options)
      : options_(std::move(options)) {}

  // Connects and opens the session on each stream. Requires !is_open().
  void Open(std::string_view spec, std::weak_ptr<BatchStreamEvents> events);
  bool is_open() const { return !lanes_.empty(); }
  // Opens the session again on one stream.
  void OpenSession(BatchStream& stream, std::string_view spec) {
    stream.OpenSession(spec, options_.client_name);
  }
  // Does so on every open stream.
  void OpenSessions(std::string_view spec) {
    for (const Lane& lane : lanes_) OpenSession(*lane.stream, spec);
  }
  // Closes all streams and returns the grants that were open. The slots of
  // these stay held until OnStreamClosed.
  std::vector<OpenGrant> Close(const absl::Status& why);
  // Whether the stream is open, that is, not closed by Close.
  bool Has(const BatchStream& stream) const;
  // Drops a closed stream: OnStreamClosed was its last event.
  void Forget(const BatchStream& stream);
  // Whether closed streams wait for their OnStreamClosed.
  bool has_closing() const { return !closing_.empty(); }

  // Whether a stream has room for one more grant, and no open grant is
  // exclusive. `exclusive`: also no grant may be open.
  bool CanTake(bool exclusive) const;
  // Sends a credit. Requires CanTake.
  void Request(const CreditRequest& request, absl::Duration timeout);
  // Removes and returns the grant that has ended; nothing if it was lost with
  // its stream.
  std::optional<OpenGrant> TakeEnded(const BatchStream& stream, uint64_t grant);

  // Calls BatchStream::ReportWait on every open stream.
  void ReportWait(double wait_ratio) {
    for (const Lane& lane : lanes_) lane.stream->ReportWait(wait_ratio);
  }

  size_t num_grants() const;
  bool HasGrantFor(const BatchRef& batch) const;
  // Returns the same without counting cancelled grants.
  bool HasLiveGrantFor(const BatchRef& batch) const;
  // Cancels the grants that are not cancelled yet.
  void Cancel(const BatchRef& batch);
  void CancelAll();

  // The batches of grants that are not cancelled and have been open for `age`.
  std::vector<BatchRef> FindLate(absl::Duration age) const;
  struct Silence {
    // The batches of grants that are not cancelled and silent for `limit` or
    // longer.
    std::vector<BatchRef> batches;
    absl::Duration longest;  // of all grants, cancelled ones included
    // For how long a cancel has had no answer.
    absl::Duration longest_cancelled;
  };
  // Measures silence since the last sign of life. If more than `limit` has
  // passed since the previous call, this process itself stood still: then
  // silence starts anew.
  Silence MeasureSilence(absl::Duration limit);

 private:
  // A stream and the grants open on it, by their number.
  struct Lane {
    std::shared_ptr<BatchStream> stream;
    std::map<uint64_t, OpenGrant> grants;
  };
  std::vector<Lane>::iterator LaneOf(const BatchStream& stream);
  // Returns the lane with the fewest grants; null if all are full.
  const Lane* LeastLoaded() const;
  void CancelGrant(Lane& lane, uint64_t number, OpenGrant& grant) const;

  const ServerStreamsOptions options_;
  std::vector<Lane> lanes_;
  std::vector<std::shared_ptr<BatchStream>> closing_;
  absl::Time measured_at_ = absl::InfinitePast();
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_STREAMS_H_
