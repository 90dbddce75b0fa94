#include "common/trace/bottleneck.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>
#include "common/text/fit_text.h"

namespace tributary {
namespace {

// The calls to one peer.
struct PeerShare {
  std::vector<std::pair<absl::Duration, absl::Duration>> intervals;
  absl::Duration queue, work, disk, network;
  const PeerCallTimes* longest = nullptr;

  // Returns the time in which at least one call was under way.
  absl::Duration Covered() {
    std::sort(intervals.begin(), intervals.end());
    absl::Duration covered, until;
    for (const auto& [begin, end] : intervals) {
      covered += std::max(absl::ZeroDuration(), end - std::max(begin, until));
      until = std::max(until, end);
    }
    return covered;
  }
};

// Keeps the largest of several times.
class Largest {
 public:
  explicit Largest(absl::Duration total) { finding_.total = total; }

  void Offer(Bottleneck bottleneck, absl::Duration time) {
    if (time <= finding_.most) return;
    finding_.bottleneck = bottleneck;
    finding_.most = time;
  }
  void OfferStages(const ServerTimes& times) {
    Offer(Bottleneck::kQueue, times.of(TimedStage::kQueue));
    Offer(Bottleneck::kSample, times.of(TimedStage::kSample));
    Offer(Bottleneck::kGather, times.of(TimedStage::kGather));
    Offer(Bottleneck::kDisk, times.of(TimedStage::kGatherDisk));
    Offer(Bottleneck::kPeers, times.of(TimedStage::kSamplePeers) +
                                  times.of(TimedStage::kGatherPeers));
    Offer(Bottleneck::kSend, times.of(TimedStage::kSend));
  }
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

// Says which peer it was, by the calls, if the finding is that of peers.
void NamePeer(const ServerTimes& times, Finding& finding) {
  if (finding.bottleneck != Bottleneck::kPeers || times.calls.empty()) return;
  std::map<std::string, PeerShare> peers;
  for (const PeerCallTimes& call : times.calls) {  // the longest first
    PeerShare& share = peers[call.peer];
    if (share.longest == nullptr) share.longest = &call;
    share.intervals.push_back({call.start, call.start + call.duration});
    share.queue += call.queue;
    share.work += call.work;
    share.disk += call.disk;
    share.network += call.network;
  }
  PeerShare* slowest = nullptr;
  absl::Duration longest;
  for (auto& [name, share] : peers) {
    const absl::Duration covered = share.Covered();
    if (slowest != nullptr && covered <= longest) continue;
    slowest = &share;
    longest = covered;
  }
  if (longest <= absl::ZeroDuration()) return;
  finding.peer = slowest->longest->peer;
  finding.call = slowest->longest->call;
  finding.partition = slowest->longest->partition;
  finding.most = std::min(finding.most, longest);
  const std::pair<Bottleneck, absl::Duration> parts[] = {
      {Bottleneck::kPeerQueue, slowest->queue},
      {Bottleneck::kPeerWork, slowest->work},
      {Bottleneck::kPeerDisk, slowest->disk},
      {Bottleneck::kPeerNetwork, slowest->network}};
  absl::Duration sum, part;
  for (const auto& [bottleneck, time] : parts) {
    sum += time;
    if (time <= part) continue;
    part = time;
    finding.bottleneck = bottleneck;
  }
  // Calls beside each other count once in `most`.
  if (sum > absl::ZeroDuration()) {
    finding.part = finding.most * absl::FDivDuration(part, sum);
  }
}

Finding OfFailed(const BatchTimeline& timeline, absl::Duration total) {
  Finding finding;
  finding.bottleneck = Bottleneck::kFailed;
  finding.most = finding.total = total;
  if (!timeline.attempts.empty()) {
    finding.server = FitText(timeline.attempts.back().server, 256);
  }
  return finding;
}

}  // namespace

const char* BottleneckName(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::kQueue:
      return "queue";
    case Bottleneck::kSample:
      return "sample";
    case Bottleneck::kGather:
      return "gather";
    case Bottleneck::kDisk:
      return "disk";
    case Bottleneck::kPeers:
      return "peers";
    case Bottleneck::kPeerQueue:
      return "peer_queue";
    case Bottleneck::kPeerWork:
      return "peer_work";
    case Bottleneck::kPeerDisk:
      return "peer_disk";
    case Bottleneck::kPeerNetwork:
      return "peer_network";
    case Bottleneck::kSend:
      return "send";
    case Bottleneck::kNetwork:
      return "network";
    case Bottleneck::kTrainer:
      return "trainer";
    case Bottleneck::kEarlierBatch:
      return "earlier_batch";
    case Bottleneck::kRetried:
      return "retried";
    case Bottleneck::kFailed:
      return "failed";
    case Bottleneck::kUnknown:
      break;
  }
  return "unknown";
}

absl::Duration NetworkTime(const BatchTimeline& timeline,
                           const BatchAttempt& taken,
                           const ServerTimes& times) {
  if (!taken.trace.has_value()) return absl::ZeroDuration();
  return std::max(absl::ZeroDuration(),
                  TracedTime(taken.asked, timeline.ready) - times.total);
}

Finding FindBottleneck(const BatchTimeline& timeline) {
  const absl::Duration total =
      TracedTime(FirstAsked(timeline), EndOf(timeline));
  const BatchAttempt* taken = TakenAttempt(timeline);
  if (taken == nullptr) return OfFailed(timeline, total);
  const absl::Duration in_ring = TracedTime(timeline.ready, timeline.taken);
  const absl::Duration behind =
      std::clamp(timeline.behind, absl::ZeroDuration(), in_ring);
  const absl::Duration attempt = TracedTime(taken->asked, timeline.ready);
  Largest largest(total);
  ServerTimes times;
  if (taken->trace.has_value()) {
    times = ReadServerTimes(*taken->trace, attempt);
    largest.OfferStages(times);
    largest.Offer(Bottleneck::kNetwork, NetworkTime(timeline, *taken, times));
  } else {
    largest.Offer(Bottleneck::kUnknown, attempt);
  }
  largest.Offer(Bottleneck::kTrainer, in_ring - behind);
  largest.Offer(Bottleneck::kEarlierBatch, behind);
  largest.Offer(Bottleneck::kRetried,
                TracedTime(FirstAsked(timeline), taken->asked));
  Finding finding = largest.finding();
  finding.server = FitText(taken->server, 256);
  NamePeer(times, finding);
  return finding;
}

Finding FindBottleneck(const std::string& server, const v1::BatchTrace& trace) {
  const ServerTimes times = ReadServerTimes(trace);
  Largest largest(times.total);
  largest.OfferStages(times);
  Finding finding = largest.finding();
  if (trace.outcome() == v1::BatchTrace::OUTCOME_FAILED) {
    finding.bottleneck = Bottleneck::kFailed;
    finding.most = times.total;
  }
  finding.server = FitText(server, 256);
  NamePeer(times, finding);
  return finding;
}

}  // namespace tributary
