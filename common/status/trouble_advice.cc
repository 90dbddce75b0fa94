#include "common/status/trouble_advice.h"

#include <algorithm>
#include <iterator>

namespace tributary {
namespace {

constexpr TroubleKind kTroubles[] = {
    {kNoOwner, Severity::kError,
     "Batches that need these partitions fail. Start a server that has them "
     "(serve --partitions), and see that it is in --peers and --servers of the "
     "others; `tributary doctor --servers LIST` says which one is missing."},
    {kServerSilent, Severity::kError,
     "Look at that machine and at the end of its log: the process may have "
     "ended, hang, or be cut off by a network policy. If it is gone for good, "
     "take it out of --peers and --servers."},
    {"graph_damaged", Severity::kError,
     "Bytes of a mapped file were lost, so the server answers nothing of that "
     "graph. Check the disk, run `tributary verify FOLDER`, repair or fetch "
     "the files again, and restart the server (docs/larger-than-memory.md)."},
    {"disk_errors", Severity::kError,
     "Rows of features could not be read from files. Look at the kernel's log "
     "for errors of the disk or the network file system, then run `tributary "
     "verify FOLDER` (docs/larger-than-memory.md)."},
    {"batches_fail", Severity::kError,
     "Trainers ask again where that helps, and report the rest. The text of "
     "the last error says what to change; the log has each of them "
     "(docs/failures.md)."},
    {"policy_broken", Severity::kError,
     "The file of --policy cannot be read or parsed, and the policy before it "
     "holds on. The log says where it is wrong; repair the file, and it is "
     "read again within a second."},
    {"graphs_unserved", Severity::kError,
     "A graph that the file of --graph lists is not served. The log says why: "
     "a folder that is missing or incomplete, or too little memory."},
    {"certificate_ends", Severity::kWarning,
     "Renew the certificate: after its end nobody can connect. New files are "
     "read without a restart. With cert-manager look at `kubectl get "
     "certificate`; else run `./dev certs` (docs/modes.md)."},
    {"memory_waits", Severity::kWarning,
     "Batches wait for memory. Raise --memory-budget, make batches smaller "
     "(--batch-size, fanouts, --feature-dtype), or see which job does not read "
     "its batches (docs/jobs.md)."},
    {"budget_full", Severity::kWarning,
     "A budget that callers share is nearly used up, so calls are refused. "
     "docs/bounds.md says what each holds: most often a caller that does not "
     "read its answers; else use more servers."},
    {"queue_full", Severity::kWarning,
     "Credits were refused because the caller has its share of the queue. Use "
     "fewer loaders or a smaller --prefetch, or more servers (docs/jobs.md)."},
    {"credits_refused", Severity::kWarning,
     "Requests for batches were refused: wrong ones, too many, too late, or "
     "the server drains. The trainers' logs have the reason of each."},
    {"callers_refused", Severity::kWarning,
     "Callers asked for what they may not have: policy is a graph that the "
     "job may not read (--policy), job another job's name, farewell the end of "
     "a server, attempt more rows than a share. The log names them; see "
     "docs/security.md."},
    {"connections_refused", Severity::kWarning,
     "Connections or streams were refused by reason: certificates (untrusted, "
     "expired, wrong_name, no_certificate), plain text against TLS, or limits. "
     "The log names them; docs/metrics.md has every reason."},
    {"streams_refused", Severity::kWarning,
     "Streams above a limit were refused: of all callers, or of one that would "
     "hold more than it leaves to others. The log names it (docs/bounds.md)."},
    {"streams_closed", Severity::kWarning,
     "Streams that did not read their answers were closed to free memory for "
     "others. The trainer is stopped, too slow, or behind a slow link; it "
     "connects again (docs/bounds.md)."},
    {"peer_calls_fail", Severity::kWarning,
     "Requests of other servers were answered by an error; they ask another "
     "owner or again. Other troubles here say why; else the log of the server "
     "that asked."},
    {"trainers_wait_busy", Severity::kWarning,
     "Trainers wait for batches, and this server is at its limit. Add servers "
     "(docs/scaling.md), raise --max-rate or --threads, or make batches "
     "cheaper (fanouts, --feature-dtype, --trainer-cache)."},
    {"trainers_wait", Severity::kWarning,
     "Trainers wait for batches though this server is not busy. Look at the "
     "slowest stage of the job: send means the network or a trainer that does "
     "not read, sample_peers and gather_peers other servers, gather_disk the "
     "disk; queue or none of them that --prefetch or --buffer-size is too "
     "small."},
    {kNoStatus, Severity::kNote,
     "That server answers and tells no figures, since it is of an older "
     "release, or serves other graphs than this one. Bring all servers to one "
     "release."},
    {kDraining, Severity::kNote,
     "The server finishes what it had accepted and takes no new batches. "
     "Nothing needs doing, unless it does not end: then a trainer does not "
     "read, or a run has rows there (docs/operations.md)."},
};

constexpr TroubleKind kUnknown{
    "", Severity::kWarning,
    "A server of another release tells of this; docs/status.md of that release "
    "says what to do."};

}  // namespace

absl::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

absl::Span<const TroubleKind> AllTroubles() { return kTroubles; }

size_t TroubleRank(absl::string_view code) {
  const auto found =
      std::find_if(std::begin(kTroubles), std::end(kTroubles),
                   [code](const TroubleKind& k) { return k.code == code; });
  return static_cast<size_t>(found - std::begin(kTroubles));
}

const TroubleKind& TroubleOf(absl::string_view code) {
  const size_t rank = TroubleRank(code);
  return rank < std::size(kTroubles) ? kTroubles[rank] : kUnknown;
}

}  // namespace tributary
