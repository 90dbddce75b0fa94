#include "sampler_server/service/fair_queue.h"

#include <algorithm>

namespace tributary {

FairQueue::ClientTurn FairQueue::FindClient(const std::string& name) {
  return std::find_if(clients_.begin(), clients_.end(),
                      [&](const Client& c) { return c.name == name; });
}

FairQueue::StreamTurn FairQueue::FindStream(Client& client, StreamId id) {
  return std::find_if(client.streams.begin(), client.streams.end(),
                      [id](const StreamJobs& s) { return s.id == id; });
}

void FairQueue::Push(const std::string& client, StreamId stream, JobId job) {
  ++size_;
  ClientTurn c = FindClient(client);
  if (c == clients_.end()) c = clients_.insert(c, {client, {}});
  StreamTurn s = FindStream(*c, stream);
  if (s == c->streams.end()) s = c->streams.insert(s, {stream, {}});
  s->jobs.push_back(job);
}

std::optional<FairQueue::JobId> FairQueue::Pop(
    absl::FunctionRef<bool(StreamId)> may_run) {
  for (ClientTurn c = clients_.begin(); c != clients_.end(); ++c) {
    for (StreamTurn s = c->streams.begin(); s != c->streams.end(); ++s) {
      if (may_run(s->id)) return Take(c, s);
    }
  }
  return std::nullopt;
}

// Who has had a turn goes to the end of the line; who has no more jobs leaves.
FairQueue::JobId FairQueue::Take(ClientTurn client, StreamTurn stream) {
  --size_;
  const JobId job = stream->jobs.front();
  stream->jobs.pop_front();
  auto& streams = client->streams;
  if (stream->jobs.empty()) {
    streams.erase(stream);
  } else {
    streams.splice(streams.end(), streams, stream);
  }
  if (streams.empty()) {
    clients_.erase(client);
  } else {
    clients_.splice(clients_.end(), clients_, client);
  }
  return job;
}

bool FairQueue::Remove(const std::string& client, StreamId stream, JobId job) {
  ClientTurn c = FindClient(client);
  if (c == clients_.end()) return false;
  StreamTurn s = FindStream(*c, stream);
  if (s == c->streams.end()) return false;
  auto it = std::find(s->jobs.begin(), s->jobs.end(), job);
  if (it == s->jobs.end()) return false;
  s->jobs.erase(it);
  --size_;
  if (s->jobs.empty()) c->streams.erase(s);
  if (c->streams.empty()) clients_.erase(c);
  return true;
}

}  // namespace tributary
