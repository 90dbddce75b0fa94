// Fetches the rows that a trainer is to hold, while it trains.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_HELD_FETCHER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_HELD_FETCHER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/shm/shared_memory.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/cache/hot_list_reader.h"
#include "trainer_client/core/cache/machine_rows.h"
#include "trainer_client/core/cache/read_tries.h"
#include "trainer_client/core/held/held_plan.h"
#include "trainer_client/core/held/held_rows.h"
#include "trainer_client/core/reads/graph_client.h"

namespace tributary {

struct HeldFetcherOptions {
  std::shared_ptr<Strand> strand;  // that of the client
  std::shared_ptr<GraphClient> client;
  std::shared_ptr<HotListReader> reader;
  GraphSchema schema;
  CollectedColumns collect;  // of the session
  FeatureDType feature_dtype = FeatureDType::kStored;
  TrainerCacheSize size;
  uint64_t piece_bytes = uint64_t{64} << 20;
  // Returns how many bytes may have been fetched by now: fetching is paced by
  // what the trainer reads anyway.
  std::function<uint64_t()> allowance;
  // Returns the rows to add to, which others may add to, too (TryClaim). Is
  // called once; the caller reads them from then on.
  std::function<std::shared_ptr<HeldRows>(std::vector<HeldRows::Type> types)>
      rows;
  // The processes that share these rows; null: none. Rows are fetched while
  // this process leads.
  std::shared_ptr<MachineRows> machine;
  // Is called with what is in the way, once; then the rows held so far stay.
  std::function<void(absl::Status)> stopped;
};

// Reads the list, then piece after piece: the order and the sums of some ranks;
// where their rows are; the rows, of their owners, which are compared with the
// sums; and adds the piece.
// A row that differs is read again, and after a few times it ends the fetching:
// a server that lies, or is damaged, puts nothing into batches. A piece that
// was dropped (HeldRows::Drop) is fetched anew, a few times.
//
// A state machine without threads. All methods run on the strand. Holds itself
// while calls are open; Stop ends it.
class HeldFetcher : public std::enable_shared_from_this<HeldFetcher> {
 public:
  explicit HeldFetcher(HeldFetcherOptions options)
      : options_(std::move(options)) {}

  void Start();
  // Calls nobody from now on. The rows stay.
  void Stop();

  // Bytes of replies that were fetched: of the list's blocks, of where rows are
  // and of rows; and whether all are held.
  uint64_t fetched_bytes() const { return fetched_; }
  bool complete() const { return complete_; }

 private:
  using Replies = GraphClient::Replies;
  using Then = void (HeldFetcher::*)(Replies);
  struct Type {
    HeldTypePlan plan;
    HotListType listed;
    std::optional<HotListReader::Block> block;
    std::shared_ptr<SharedMemory> piece;  // being filled
    uint32_t filled = 0;                  // rows of it
  };
  // Ranks whose rows are being read.
  struct Chunk {
    int type = 0;
    uint32_t first = 0;  // rank
    uint32_t count = 0;
    std::vector<uint64_t> internal;  // ids of these ranks
    // The ranks, from `first` on, of each pair of reads (x, y), in order.
    std::vector<std::vector<uint32_t>> parts;
    Replies replies;
  };

  void Call(std::vector<GraphRead> reads, Then then);
  void Plan(const HotListJson& list);
  void Next();
  void NextAfter(absl::Duration pause);
  // Takes the right to add rows. Returns false while another one of this
  // process has it.
  bool Claim();
  // Returns the type that is least complete; -1: all are.
  int NextType() const;
  void ReadBlock(int type, uint64_t number);
  void Locate(int type);
  void OnLocated(Replies replies);
  void ReadRows();
  void OnRows(Replies replies);
  // Takes part `p` and those after it, one in each turn of the strand: other
  // work of the loader waits for a megabyte at most.
  void TakeParts(size_t p);
  absl::Status TakePart(size_t p);
  absl::Status Put(uint32_t rank, const uint8_t* x, const uint8_t* y);
  void FinishChunk();
  void OnDrop(int type, uint32_t num_rows);
  void OnFailure(const absl::Status& why);
  void End(absl::Status why);
  Type& type() { return types_[chunk_.type]; }
  uint32_t HeldOf(int type) const;

  const HeldFetcherOptions options_;
  std::shared_ptr<HeldRows> rows_;
  std::vector<Type> types_;
  Chunk chunk_;
  uint64_t fetched_ = 0;
  ReadTries tries_;
  int drops_ = 0;
  bool claimed_ = false;
  bool working_ = false;
  bool stopped_ = false;
  bool complete_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_HELD_FETCHER_H_
