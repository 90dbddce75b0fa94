// Reads a split of nodes or edges from the servers of a fleet.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SPLIT_READER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SPLIT_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/refusals.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/session/split_pages.h"

namespace tributary {

// Asks for one page at a time, of the servers that are up by turns; those with
// fewer faults come first. A page that is wrong is asked of another server, and
// so is one that a server refuses: only what all refuse is an error (Refusals).
//
// All methods and `done` run on the strand. Pending calls hold weak references:
// the owner keeps it until `done`.
class SplitReader : public std::enable_shared_from_this<SplitReader> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<std::vector<int64_t>>)>;

  // `content`: of the graph.
  SplitReader(std::shared_ptr<ServerFleet> fleet,
              std::shared_ptr<Strand> strand, const Sha256Digest& content,
              InputSource source, SplitPages pages);

  // Calls `done` once, with the values, or with the servers' refusal; after
  // `timeout` with the latest trouble. A server that does not send a page
  // within a quarter of that is passed over.
  void Read(absl::Duration timeout, Done done);
  // The latest error of a server, which it names; OK: none.
  const absl::Status& trouble() const { return trouble_; }
  // Whether servers refuse the page that is asked for, and trouble() says so.
  bool refused() const { return !refusals_.empty(); }

 private:
  void Ask();
  void AskLater();
  // Returns null if no server may be asked now.
  ServerLink* Choose() const;
  void OnPage(const Address& server, absl::StatusOr<InputPage> page);
  void Finish(absl::StatusOr<std::vector<int64_t>> result);

  const std::shared_ptr<ServerFleet> fleet_;
  const std::shared_ptr<Strand> strand_;
  const Sha256Digest content_;
  const InputSource source_;
  SplitPages pages_;
  Done done_;
  TimerId deadline_ = 0;
  absl::Duration page_timeout_;
  uint64_t asked_ = 0;             // pages
  std::map<Address, int> faults_;  // wrong and short pages, errors
  Refusals refusals_;              // of the page that is asked for
  absl::Status trouble_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SPLIT_READER_H_
