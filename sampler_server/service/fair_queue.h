// Whose batch is made next.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_FAIR_QUEUE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_FAIR_QUEUE_H_

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"

namespace tributary {

// Jobs of many streams, taken in turns: one of each client, within a client
// one of each stream, within a stream first come, first served. So a client
// gains nothing by more streams, a stream nothing by more credits. Turns are
// equal; weights would be turns per round. Plain data, not thread-safe.
class FairQueue {
 public:
  using JobId = uint64_t;
  using StreamId = uint64_t;

  void Push(const std::string& client, StreamId stream, JobId job);
  // Removes and returns the job whose turn it is, among those of streams that
  // `may_run`.
  std::optional<JobId> Pop(absl::FunctionRef<bool(StreamId)> may_run);
  // False when it is not here.
  bool Remove(const std::string& client, StreamId stream, JobId job);
  size_t size() const { return size_; }

 private:
  struct StreamJobs {
    StreamId id;
    std::deque<JobId> jobs;  // never empty
  };
  struct Client {
    std::string name;
    std::list<StreamJobs> streams;  // next turn first; never empty
  };
  using ClientTurn = std::list<Client>::iterator;
  using StreamTurn = std::list<StreamJobs>::iterator;

  ClientTurn FindClient(const std::string& name);
  static StreamTurn FindStream(Client& client, StreamId id);
  JobId Take(ClientTurn client, StreamTurn stream);

  std::list<Client> clients_;  // next turn first
  size_t size_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_FAIR_QUEUE_H_
