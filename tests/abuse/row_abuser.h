// A hostile client of mutable rows and of reads of the graph: has a server work
// as much as it can by small or cheap requests.
#ifndef TRIBUTARY_TESTS_ABUSE_ROW_ABUSER_H_
#define TRIBUTARY_TESTS_ABUSE_ROW_ABUSER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "channel/call_client.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/proto/tensors.pb.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"

namespace tributary {

enum class RowAbuse {
  kCopies,       // copies of rows that were never written, of normal values
  kWideReads,    // such rows of 64 KiB
  kAdditions,    // writes of 4 MiB that add to such rows
  kRounds,       // rounds of 4 MiB of gradients
  kExports,      // pages of a table in which no row was written
  kLists,        // lists of hundreds of tensors with long specifications
  kLongOpens,    // attempts of one server whose address is long
  kWideOpens,    // attempts of 1024 servers
  kLocates,      // look-ups of 65,536 nodes
  kSmallCalls,   // floods of calls that do nothing
  kFetches,      // rows of features, and where they are: as of a hot list
  kConversions,  // rows of features as int8
};

// All of them, with their names for messages and flags.
struct NamedRowAbuse {
  RowAbuse abuse;
  const char* name;
};
absl::Span<const NamedRowAbuse> RowAbuses();

struct RowAbuserOptions {
  RowAbuse abuse = RowAbuse::kCopies;
  std::string job = "abuser";
  uint64_t client = 7;  // differs at each start of a process
  Address server;
  uint64_t incarnation = 0;  // of the server
  const GraphSchema* schema = nullptr;
  uint64_t rows = 1 << 18;  // of a tensor of 16 columns
  int streams = 3;
  int outstanding = 4;  // calls of each stream
  // Returns whether the next call of a stream waits a little; empty: never.
  std::function<bool()> pause;
};

// Runs on a strand of `executor`; both it and the transport outlive it. A call
// follows each answer. Thread-safe.
class RowAbuser {
 public:
  RowAbuser(Transport* transport, Executor* executor, RowAbuserOptions options);
  ~RowAbuser();

  // Opens its attempt and makes its tensors; then the abuse begins.
  void Start();
  // Returns whether the abuse has begun.
  bool started() const;
  // Returns how many of its calls were answered, by a reply or an error.
  uint64_t answered() const;

 private:
  class Core;
  const std::shared_ptr<Core> core_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_ABUSE_ROW_ABUSER_H_
