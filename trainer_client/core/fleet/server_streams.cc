#include "trainer_client/core/fleet/server_streams.h"

#include <algorithm>
#include <utility>

namespace tributary {

void ServerStreams::Open(std::string_view spec,
                         std::weak_ptr<BatchStreamEvents> events) {
  for (int i = 0; i < options_.num_streams; ++i) {
    auto stream = BatchStream::Connect(options_.transport, options_.address,
                                       options_.strand, events);
    OpenSession(*stream, spec);
    lanes_.push_back({std::move(stream), {}});
  }
}

std::vector<OpenGrant> ServerStreams::Close(const absl::Status& why) {
  std::vector<OpenGrant> lost;
  for (const Lane& lane : lanes_) {
    for (const auto& [number, grant] : lane.grants) lost.push_back(grant);
  }
  for (Lane& lane : lanes_) {
    lane.stream->Close(why);
    closing_.push_back(std::move(lane.stream));
  }
  lanes_.clear();
  return lost;
}

std::vector<ServerStreams::Lane>::iterator ServerStreams::LaneOf(
    const BatchStream& stream) {
  return std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    return lane.stream.get() == &stream;
  });
}

bool ServerStreams::Has(const BatchStream& stream) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    return lane.stream.get() == &stream;
  });
}

void ServerStreams::Forget(const BatchStream& stream) {
  std::erase_if(closing_, [&](const auto& s) { return s.get() == &stream; });
}

const ServerStreams::Lane* ServerStreams::LeastLoaded() const {
  const Lane* best = nullptr;
  size_t fewest = static_cast<size_t>(options_.grants_per_stream);
  for (const Lane& lane : lanes_) {
    if (lane.grants.size() >= fewest) continue;
    best = &lane;
    fewest = lane.grants.size();
  }
  return best;
}

bool ServerStreams::CanTake(bool exclusive) const {
  if (exclusive && num_grants() > 0) return false;
  for (const Lane& lane : lanes_) {
    for (const auto& [number, grant] : lane.grants) {
      if (grant.exclusive()) return false;
    }
  }
  return LeastLoaded() != nullptr;
}

void ServerStreams::Request(const CreditRequest& request,
                            absl::Duration timeout) {
  Lane& lane = *LaneOf(*LeastLoaded()->stream);
  const uint64_t number = lane.stream->SendCredit(request, timeout);
  const absl::Time now = options_.strand->Now();
  OpenGrant grant(request.batch(), request.slot->bytes().size(),
                  request.exclusive, now);
  grant.OnSigns(lane.stream->SignsOf(number), now);
  lane.grants.emplace(number, grant);
}

std::optional<OpenGrant> ServerStreams::TakeEnded(const BatchStream& stream,
                                                  uint64_t grant) {
  const auto lane = LaneOf(stream);
  if (lane == lanes_.end()) return std::nullopt;
  const auto it = lane->grants.find(grant);
  if (it == lane->grants.end()) return std::nullopt;
  const OpenGrant ended = it->second;
  lane->grants.erase(it);
  return ended;
}

size_t ServerStreams::num_grants() const {
  size_t n = 0;
  for (const Lane& lane : lanes_) n += lane.grants.size();
  return n;
}

bool ServerStreams::HasGrantFor(const BatchRef& batch) const {
  for (const Lane& lane : lanes_) {
    for (const auto& [number, grant] : lane.grants) {
      if (grant.batch() == batch) return true;
    }
  }
  return false;
}

bool ServerStreams::HasLiveGrantFor(const BatchRef& batch) const {
  for (const Lane& lane : lanes_) {
    for (const auto& [number, grant] : lane.grants) {
      if (grant.batch() == batch && !grant.cancelled()) return true;
    }
  }
  return false;
}

void ServerStreams::CancelGrant(Lane& lane, uint64_t number,
                                OpenGrant& grant) const {
  if (grant.Cancel(options_.strand->Now())) lane.stream->CancelGrant(number);
}

void ServerStreams::Cancel(const BatchRef& batch) {
  for (Lane& lane : lanes_) {
    for (auto& [number, grant] : lane.grants) {
      if (grant.batch() == batch) CancelGrant(lane, number, grant);
    }
  }
}

void ServerStreams::CancelAll() {
  for (Lane& lane : lanes_) {
    for (auto& [number, grant] : lane.grants) CancelGrant(lane, number, grant);
  }
}

std::vector<BatchRef> ServerStreams::FindLate(absl::Duration age) const {
  const absl::Time now = options_.strand->Now();
  std::vector<BatchRef> late;
  for (const Lane& lane : lanes_) {
    for (const auto& [number, grant] : lane.grants) {
      if (grant.Age(now) >= age && !grant.cancelled()) {
        late.push_back(grant.batch());
      }
    }
  }
  return late;
}

ServerStreams::Silence ServerStreams::MeasureSilence(absl::Duration limit) {
  const absl::Time now = options_.strand->Now();
  const bool stood_still = now - std::exchange(measured_at_, now) > limit;
  Silence found;
  for (Lane& lane : lanes_) {
    for (auto& [number, grant] : lane.grants) {
      if (stood_still) grant.ResetSilence(now);
      grant.OnSigns(lane.stream->SignsOf(number), now);
      const absl::Duration silence = grant.Silence(now);
      found.longest = std::max(found.longest, silence);
      found.longest_cancelled =
          std::max(found.longest_cancelled, grant.CancelledFor(now));
      if (silence >= limit && !grant.cancelled()) {
        found.batches.push_back(grant.batch());
      }
    }
  }
  return found;
}

}  // namespace tributary
