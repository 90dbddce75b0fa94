#include "common/trace/advice.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tributary {
namespace {

// Says where and for what a peer was waited for, up to what made it slow.
std::string WaitingForPeer(const Finding& finding) {
  return absl::StrCat("waiting for ", finding.peer, " (partition ",
                      finding.partition, ", ", finding.call, "), of which ",
                      Millis(finding.part), " ms ");
}

std::string InQueue(const Finding& finding, const v1::BatchTrace* trace) {
  const std::string queue =
      absl::StrCat("in the queue of ", finding.server, " ");
  if (trace == nullptr || trace->queued() == 0) {
    return absl::StrCat(
        queue,
        "with no batch before it: it waited for memory or for a sampling "
        "thread; raise --memory-budget or --threads (docs/bounds.md)");
  }
  return absl::StrCat(
      queue, "behind ", trace->queued(), " batches (", trace->queued_of_job(),
      " of this job): the fleet is too small, or another job uses it "
      "(docs/scaling.md, --job-weights)");
}

// Says that the server's threads worked, or that they had no CPU meanwhile.
std::string OnThreads(const Finding& finding, const v1::BatchTrace* trace,
                      const char* doing) {
  const absl::Duration cpu =
      trace == nullptr
          ? absl::ZeroDuration()
          : std::min(absl::Microseconds(static_cast<int64_t>(std::min<uint64_t>(
                         trace->cpu_us(), uint64_t{1} << 60))),
                     kLongestTraced);
  const std::string text = absl::StrCat(doing, " on ", finding.server, ": ");
  if (cpu > absl::ZeroDuration() && cpu < finding.most / 2) {
    return absl::StrCat(text, "its threads had a CPU for ", Millis(cpu),
                        " ms only; it is throttled, or shares its cores with "
                        "other programs");
  }
  return absl::StrCat(text,
                      "ask for fewer neighbours or columns, or add servers "
                      "(docs/scaling.md)");
}

}  // namespace

std::string Millis(absl::Duration time) {
  const double ms = absl::ToDoubleMilliseconds(time);
  return ms < 99.95 ? absl::StrFormat("%.1f", ms) : absl::StrFormat("%.0f", ms);
}

std::string AdviceOf(const Finding& finding, const v1::BatchTrace* trace) {
  switch (finding.bottleneck) {
    case Bottleneck::kQueue:
      return InQueue(finding, trace);
    case Bottleneck::kSample:
      return OnThreads(finding, trace, "drawing neighbours");
    case Bottleneck::kGather:
      return OnThreads(finding, trace, "copying rows that are in memory");
    case Bottleneck::kDisk:
      return absl::StrCat(
          "in gather_disk on ", finding.server,
          ": rows were read from files that are not in memory; raise "
          "--feature-readers, or give the server more memory or a faster disk "
          "(docs/larger-than-memory.md)");
    case Bottleneck::kPeers:
      return absl::StrCat("waiting on ", finding.server,
                          " for other servers, which do not tell why");
    case Bottleneck::kPeerQueue:
      return absl::StrCat(WaitingForPeer(finding),
                          "in that server's queue: it has too few threads for "
                          "its peers' requests, or is throttled");
    case Bottleneck::kPeerWork:
      return absl::StrCat(WaitingForPeer(finding),
                          "on that server's thread: it has too little CPU, or "
                          "is throttled");
    case Bottleneck::kPeerDisk:
      return absl::StrCat(
          WaitingForPeer(finding),
          "for rows in that server's files: raise its --feature-readers, or "
          "give it more memory (docs/larger-than-memory.md)");
    case Bottleneck::kPeerNetwork:
      return absl::StrCat(
          WaitingForPeer(finding),
          "outside its hands: the network to it is slow, or its "
          "process is stopped or throttled");
    case Bottleneck::kSend:
      return absl::StrCat(
          "sending from ", finding.server,
          ": the network to the trainer is slow, or the trainer "
          "does not read");
    case Bottleneck::kNetwork:
      return absl::StrCat(
          "between ", finding.server,
          " and the trainer: the network is slow, or the trainer is short of "
          "CPU to receive");
    case Bottleneck::kTrainer:
      return "waiting for the trainer to take it: the trainer is busy; servers "
             "are not what it waits for";
    case Bottleneck::kEarlierBatch:
      return "waiting for batches before it, which are delivered first: look "
             "at "
             "their traces";
    case Bottleneck::kRetried:
    case Bottleneck::kFailed:
    case Bottleneck::kUnknown:
      break;
  }
  return finding.server.empty()
             ? "at no server"
             : absl::StrCat("on ", finding.server,
                            ", which does not tell: it is of an older release");
}

}  // namespace tributary
