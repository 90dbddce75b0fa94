// Opens the attempt of a run on the servers, or finds the one of rank 0.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_ATTEMPT_OPENER_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_ATTEMPT_OPENER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "channel/transport.h"
#include "common/fleet/backoff.h"
#include "common/fleet/discovery.h"
#include "common/fleet/graph_name.h"
#include "common/fleet/host_resolver.h"
#include "common/placement/row_placement.h"
#include "common/proto/tensors.pb.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/control_calls.h"
#include "trainer_client/core/fleet/refusals.h"
#include "trainer_client/tensors/member_link.h"

namespace tributary {

struct AttemptOpenerOptions {
  Transport* transport = nullptr;  // outlives the opener
  std::shared_ptr<Strand> strand;
  HostResolver* resolver = nullptr;  // likewise
  DiscoverySource source;
  GraphName graph;
  std::string job = "default";
  uint32_t rank = 0;
  uint32_t world = 1;
  uint64_t attempt = 0;  // see DistContextOptions
  uint64_t client = 0;   // this process's number
  absl::Duration timeout;
  uint64_t jitter_seed = 0;
};

// An attempt that is open on all its members.
struct OpenedAttempt {
  GraphSchema schema;
  v1::AttemptRef ref;              // as this rank calls
  std::vector<RowMember> members;  // ascending by address
};

// Rank 0 takes the listed servers that answer and have the graph, waiting for
// the slower ones a few seconds, and opens the attempt on all of them; draining
// servers are left out. Other ranks ask all listed servers, again and again,
// for the attempt. Pending calls hold weak references; on the strand.
class AttemptOpener : public std::enable_shared_from_this<AttemptOpener> {
 public:
  using Opened = absl::AnyInvocable<void(absl::StatusOr<OpenedAttempt>)>;

  explicit AttemptOpener(AttemptOpenerOptions options);
  ~AttemptOpener();

  // Calls `opened` once, within the timeout. DEADLINE_EXCEEDED with what the
  // servers last said if none answers or rank 0 has opened no attempt;
  // NOT_FOUND: no server has the graph; INVALID_ARGUMENT: the attempt is of
  // another number of ranks. Other errors are the servers'. Call once.
  void Open(Opened opened);
  // Ends the search; `opened` receives CANCELLED.
  void Cancel();

 private:
  struct Server {
    Address address;
    std::optional<ServerDescription> description;
    absl::Status trouble;
    std::shared_ptr<CallClient> data;  // for JoinAttempt
    bool usable = false;
  };

  void OnListing(const ServerListing& listing);
  void Describe();
  void OnDescribed(size_t server, absl::StatusOr<ServerDescription> answer);
  absl::Status ChooseContent();
  bool HasGraph(const ServerDescription& description) const;
  absl::Status Accept(Server& server, const ServerDescription& description);
  // Reads the text of graph.json from a usable server, and decides again.
  void ReadGraph(size_t server);
  void OnGraphRead(size_t server, absl::StatusOr<ServerDescription> answer);
  void Decide();
  bool AllRefuse() const;
  void DescribeLater();

  void OpenOnAll();
  void OnOpenedOn(const std::string& address, const absl::Status& status);
  void JoinAny();
  void OnJoinReply(size_t server, absl::StatusOr<CallReply> reply);
  absl::Status TakeJoined(const v1::JoinAttemptReply& reply);

  absl::Duration CallTimeout() const;
  std::string Troubles() const;
  void Finish(absl::Status status);

  const AttemptOpenerOptions options_;
  Opened opened_;
  std::shared_ptr<Discovery> discovery_;
  std::vector<Server> servers_;
  std::optional<Sha256Digest> content_;  // of the graph, once it is known
  std::optional<GraphSchema> schema_;
  OpenedAttempt result_;
  std::vector<std::shared_ptr<MemberLink>> links_;
  size_t pending_ = 0;
  size_t joining_ = 0;  // servers that were asked to join
  Refusals join_refusals_;
  absl::Time deadline_;
  absl::Time settled_;  // when rank 0 stops waiting for slower servers
  TimerId timer_ = 0;
  Backoff backoff_;
  absl::Status last_trouble_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_ATTEMPT_OPENER_H_
