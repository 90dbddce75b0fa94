// Reads a hot list of the graph from servers, and checks it.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_HOT_LIST_READER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_HOT_LIST_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/hash/sha256.h"
#include "common/io/buffer.h"
#include "common/runtime/executor.h"
#include "partition/schema/hot_list_json.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/cache/read_tries.h"
#include "trainer_client/core/reads/graph_client.h"

namespace tributary {

struct HotListReaderOptions {
  std::shared_ptr<Strand> strand;  // that of the client
  std::shared_ptr<GraphClient> client;
  GraphSchema schema;
  Sha256Digest digest{};    // of the list
  uint64_t json_bytes = 0;  // of its list.json, as a server says
};

// Compares all that it reads with the list's digest. What fails is read again,
// of the next server; a server that lies, or is damaged, can delay, no more.
//
// A state machine without threads. All methods run on the strand, as do the
// callbacks, never inside the call. One call at a time. Held by shared_ptr.
class HotListReader : public std::enable_shared_from_this<HotListReader> {
 public:
  explicit HotListReader(HotListReaderOptions options)
      : options_(std::move(options)) {}

  template <typename T>
  using Then = absl::AnyInvocable<void(absl::StatusOr<T>)>;

  // Errors: DATA_LOSS if no server has it as its digest says; refusals.
  void ReadJson(Then<HotListJson> then);

  // kHotListBlockRows ranks of a node type, or the rest of them.
  struct Block {
    uint64_t number = 0;
    AlignedBuffer order, crc;  // int64, uint32
  };
  // Requires number < type.num_blocks(). Errors as ReadJson.
  void ReadBlock(const HotListType& type, uint64_t number, Then<Block> then);

  // Calls nobody from now on.
  void Stop() { stopped_ = true; }

 private:
  using Replies = GraphClient::Replies;
  struct Digests {
    std::vector<Sha256Digest> order, crc;  // of the blocks
  };
  struct File {
    std::string name;
    uint64_t offset = 0, bytes = 0;
  };

  // Reads until `check` takes what has come, or for good: then `end`.
  void Read(std::vector<File> files,
            std::function<absl::Status(Replies&)> check,
            std::function<void(absl::Status)> end);
  GraphRead ReadOf(const File& file) const;
  void ReadDigests(const HotListType& type,
                   std::function<void(absl::Status)> end);

  const HotListReaderOptions options_;
  std::map<std::string, Digests> digests_;  // by node type
  ReadTries tries_;
  bool stopped_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_HOT_LIST_READER_H_
