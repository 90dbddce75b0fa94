// Gathers rows of a partition that another server owns.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_GATHER_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_GATHER_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/call_client.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/executor.h"
#include "common/session/feature_dtype.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

// Asks the partition's owners for columns of `gather.rows`, with one owner call
// (owner_call.h) after another: as many rows at a time as fit a message, and
// again from the first row that a reply lacks. Rows that one reply has are not
// copied.
//
// Create with std::make_shared; its pending call keeps it alive. Start and all
// callbacks run on `strand`. `done` gets all rows, in the order asked, or an
// error: INVALID_ARGUMENT when the graph lacks a column, else that of the first
// owner call that failed; it does not run after `limits.cancel`. A reply whose
// rows and bytes do not add up is an error of that owner (DATA_LOSS), and
// another one is asked.
class RemoteGatherCall : public std::enable_shared_from_this<RemoteGatherCall> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)>;

  RemoteGatherCall(std::shared_ptr<const GraphSchema> schema,
                   std::shared_ptr<PeerDirectory> directory,
                   RemoteGather gather, const RemotePartitions::Limits& limits,
                   std::shared_ptr<Strand> strand, Done done);

  // Called once, on the strand.
  void Start();

 private:
  // A column of the reply.
  struct WantedColumn {
    v1::Column column;  // unspecified: the scales of the one before
    size_t row_bytes;
    GatheredRows::Bytes GatheredRows::*view;
  };

  absl::Status PlanColumns();
  absl::Status AddFeatures(v1::Column column, bool wanted,
                           const std::optional<ColumnSchema>& stored,
                           FeatureDType asked,
                           GatheredRows::Bytes GatheredRows::*view,
                           GatheredRows::Bytes GatheredRows::*scales);
  void AddColumn(v1::Column column, size_t row_bytes,
                 GatheredRows::Bytes GatheredRows::*view);
  void Next();
  std::string EncodeHeader(uint64_t timeout_ms) const;
  absl::Status Accept(CallReply reply);
  absl::Status CheckOriginalIds(absl::Span<const uint8_t> ids) const;
  void TakeRows(CallReply reply, size_t n);
  void Finish();

  const std::shared_ptr<const GraphSchema> schema_;
  const std::shared_ptr<PeerDirectory> directory_;
  const RemoteGather gather_;
  const RemotePartitions::Limits limits_;
  const std::shared_ptr<Strand> strand_;
  Done done_;

  std::vector<WantedColumn> columns_;
  size_t row_bytes_ = 0;  // sum over columns_
  // Column after column, each of all rows; the only reply, or made with the
  // first of several.
  AlignedBuffer memory_;
  size_t next_ = 0;   // the first row that is not there
  size_t asked_ = 0;  // rows of the pending call
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_GATHER_CALL_H_
