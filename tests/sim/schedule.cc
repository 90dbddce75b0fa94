#include "tests/sim/schedule.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "tests/abuse/abuse.h"

namespace tributary {
namespace {

constexpr int64_t kMiB = 1 << 20;

constexpr SimField kFields[] = {
    {"seed", &Schedule::seed, 0, INT64_MAX},
    {"servers", &Schedule::servers, 1, 8},
    {"partitions", &Schedule::partitions, 1, 8},
    {"owners", &Schedule::owners, 1, 8},
    {"trainers", &Schedule::trainers, 1, 8},
    {"jobs", &Schedule::jobs, 1, 4},
    {"batches", &Schedule::batches, 1, 20},
    {"replace", &Schedule::replace, 0, 1},
    {"expand_all", &Schedule::expand_all, 0, 1},
    {"kind", &Schedule::kind, 0, kSimKinds - 1},
    {"links", &Schedule::links, 0, 4},
    {"link_types", &Schedule::link_types, 0, 1},
    {"draws", &Schedule::draws, 0, kSimDrawWays - 1},
    {"predicates", &Schedule::predicates, 0, kSimMasks},
    {"subgraph", &Schedule::subgraph, 0, 2},
    {"edge_dir", &Schedule::edge_dir, 0, 2},
    {"features", &Schedule::features, 0, 3},
    {"scaled", &Schedule::scaled, 0, 1},
    {"omit_edge_ids", &Schedule::omit_edge_ids, 0, 1},
    {"cache", &Schedule::cache, 0, 7},
    {"compact", &Schedule::compact, 0, 1},
    {"rooms", &Schedule::rooms, 0, 1},
    {"stranger", &Schedule::stranger, 0, 1},
    {"certificates", &Schedule::certificates, 0, 1},
    {"abuses", &Schedule::abuses, 0, kAllAbuses},
    {"prefetch", &Schedule::prefetch, 1, 64},
    {"ring", &Schedule::ring, 4096, 64 * kMiB},
    {"held", &Schedule::held, 1, 16},
    {"step_us", &Schedule::step_us, 0, 1'000'000},
    {"checkpoint", &Schedule::checkpoint, 1, 64},
    {"timeout_ms", &Schedule::timeout_ms, 1000, 1'000'000},
    {"memory", &Schedule::memory, 1, 64 * kMiB},
    {"leaf_memory", &Schedule::leaf_memory, 1, 64 * kMiB},
    {"running", &Schedule::running, 1, 1000},
    {"running_per_stream", &Schedule::running_per_stream, 1, 1000},
    {"queued", &Schedule::queued, 1, 10'000},
    {"sessions", &Schedule::sessions, 1, 10'000},
    {"frame", &Schedule::frame, 1, kMiB},
    {"window", &Schedule::window, 1, 64 * kMiB},
    {"leaf_reply", &Schedule::leaf_reply, 1, 4 * kMiB},
    {"drift_ppm", &Schedule::drift_ppm, 0, 100'000},
    {"latency_us", &Schedule::latency_us, 20, 1'000'000},
    {"rough_ms", &Schedule::rough_ms, 0, 60'000},
    {"corrupt_ppm", &Schedule::corrupt_ppm, 0, 1'000'000},
    {"cut_ppm", &Schedule::cut_ppm, 0, 1'000'000},
    {"stall_ppm", &Schedule::stall_ppm, 0, 1'000'000},
    {"refuse_ppm", &Schedule::refuse_ppm, 0, 1'000'000},
    {"slow_ppm", &Schedule::slow_ppm, 0, 1'000'000},
    {"twice_ppm", &Schedule::twice_ppm, 0, 1'000'000},
    {"detect_ms", &Schedule::detect_ms, 0, 60'000},
    {"disk_us", &Schedule::disk_us, 0, 100'000},
    {"disk_error_ppm", &Schedule::disk_error_ppm, 0, 1'000'000},
};

struct KindName {
  SimFault::Kind kind;
  const char* name;
};
constexpr KindName kKinds[] = {
    {SimFault::Kind::kCrash, "crash"},
    {SimFault::Kind::kDrain, "drain"},
    {SimFault::Kind::kFreeze, "freeze"},
    {SimFault::Kind::kPart, "part"},
    {SimFault::Kind::kPartOneWay, "part-one-way"},
    {SimFault::Kind::kReset, "reset"},
    {SimFault::Kind::kStarve, "starve"},
    {SimFault::Kind::kStarveLeafs, "starve-leafs"},
    {SimFault::Kind::kAway, "away"},
};

bool HasOther(SimFault::Kind kind) {
  return kind == SimFault::Kind::kPart || kind == SimFault::Kind::kPartOneWay;
}

bool IsOfServersOnly(SimFault::Kind kind) {
  return kind == SimFault::Kind::kDrain || kind == SimFault::Kind::kStarve ||
         kind == SimFault::Kind::kStarveLeafs;
}

absl::Status BadWord(absl::string_view word, absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("schedule: '", word, "'; wanted: ", wanted));
}

absl::StatusOr<SimNodeName> ParseNode(absl::string_view word) {
  SimNodeName node;
  if (word.size() < 2 || (word[0] != 's' && word[0] != 't') ||
      !absl::SimpleAtoi(word.substr(1), &node.number) || node.number < 0) {
    return BadWord(word, "a node, as s0 or t3");
  }
  node.is_server = word[0] == 's';
  return node;
}

absl::Status ParseDetail(absl::string_view word, SimFault& fault) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(word, absl::MaxSplits('=', 1));
  if (parts.first == "at" && absl::ParseDuration(parts.second, &fault.at)) {
    return absl::OkStatus();
  }
  if (parts.first == "for" && absl::ParseDuration(parts.second, &fault.lasts)) {
    return absl::OkStatus();
  }
  if (parts.first == "percent" &&
      absl::SimpleAtoi(parts.second, &fault.percent)) {
    return absl::OkStatus();
  }
  return BadWord(word, "at=DURATION, for=DURATION or percent=N");
}

absl::StatusOr<SimFault> ParseFault(absl::string_view text) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(text, ' ', absl::SkipEmpty());
  const auto* kind = std::find_if(
      std::begin(kKinds), std::end(kKinds),
      [&](const KindName& k) { return !words.empty() && words[0] == k.name; });
  if (kind == std::end(kKinds)) return BadWord(text, "a fault, as crash s0");
  SimFault fault;
  fault.kind = kind->kind;
  const size_t nodes = HasOther(fault.kind) ? 2 : 1;
  if (words.size() < 1 + nodes) return BadWord(text, "its node");
  ASSIGN_OR_RETURN(fault.node, ParseNode(words[1]));
  if (nodes == 2) {
    ASSIGN_OR_RETURN(fault.other, ParseNode(words[2]));
  }
  for (size_t i = 1 + nodes; i < words.size(); ++i) {
    RETURN_IF_ERROR(ParseDetail(words[i], fault));
  }
  return fault;
}

absl::Status ParseNumber(absl::string_view word, Schedule& schedule) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(word, absl::MaxSplits('=', 1));
  for (const SimField& field : kFields) {
    if (parts.first != field.name) continue;
    int64_t value = 0;
    if (!absl::SimpleAtoi(parts.second, &value) || value < field.least ||
        value > field.most) {
      return BadWord(word, absl::StrCat("a number from ", field.least, " to ",
                                        field.most));
    }
    schedule.*field.value = value;
    return absl::OkStatus();
  }
  return BadWord(word, "NAME=NUMBER with a name of tests/sim/schedule.h");
}

bool Exists(const SimNodeName& node, const Schedule& schedule) {
  return node.number < (node.is_server ? schedule.servers : schedule.trainers);
}

}  // namespace

absl::Span<const SimField> SimFields() { return kFields; }

std::string SimNodeName::ToString() const {
  return absl::StrCat(is_server ? "s" : "t", number);
}

std::string SimFault::ToString() const {
  std::string text;
  for (const KindName& k : kKinds) {
    if (k.kind == kind) text = k.name;
  }
  absl::StrAppend(&text, " ", node.ToString());
  if (HasOther(kind)) absl::StrAppend(&text, " ", other.ToString());
  if (percent != 0) absl::StrAppend(&text, " percent=", percent);
  absl::StrAppend(&text, " at=", absl::FormatDuration(at));
  absl::StrAppend(&text, " for=", absl::FormatDuration(lasts));
  return text;
}

std::string Schedule::ToString() const {
  const Schedule plain;
  std::string text;
  for (const SimField& field : kFields) {
    if (this->*field.value == plain.*field.value) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", field.name, "=",
                    this->*field.value);
  }
  for (const SimFault& fault : faults) {
    absl::StrAppend(&text, "; ", fault.ToString());
  }
  return text;
}

absl::StatusOr<Schedule> Schedule::Parse(absl::string_view text) {
  Schedule schedule;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ';');
  for (absl::string_view word :
       absl::StrSplit(parts[0], ' ', absl::SkipEmpty())) {
    RETURN_IF_ERROR(ParseNumber(word, schedule));
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    ASSIGN_OR_RETURN(SimFault fault, ParseFault(parts[i]));
    schedule.faults.push_back(fault);
  }
  return schedule;
}

absl::Duration Schedule::CalmAfter() const {
  absl::Duration end = absl::Milliseconds(rough_ms);
  for (const SimFault& fault : faults) {
    end = std::max(end, fault.at + fault.lasts);
  }
  return end;
}

bool Schedule::IsCalm() const {
  const Schedule plain;
  const bool rates = corrupt_ppm || cut_ppm || stall_ppm || refuse_ppm ||
                     slow_ppm || twice_ppm;
  return !rates && faults.empty() && abuses == 0 &&
         (cache & kSimDamagedRows) == 0 && ring >= plain.ring &&
         memory >= plain.memory && leaf_memory >= plain.leaf_memory &&
         queued >= plain.queued && sessions >= plain.sessions &&
         latency_us <= plain.latency_us && disk_us == plain.disk_us;
}

void Normalize(Schedule& schedule) {
  if (schedule.kind != kSimNeighbors) schedule.links = 0;
  // Enclosing subgraphs need links of one type; a typed graph has no out-edges.
  if (schedule.links == 0 || schedule.subgraph == 2 || schedule.edge_dir != 0) {
    schedule.link_types = 0;
  }
  schedule.owners = std::min(schedule.owners, schedule.servers);
  schedule.jobs = std::min(schedule.jobs, schedule.trainers);
  // Each trainer and each antagonist can keep a session, and have a place in
  // the queue: what has one place cannot be shared.
  if (schedule.abuses != 0) {
    schedule.sessions = std::max(schedule.sessions, schedule.trainers + 5);
    schedule.queued = std::max(schedule.queued, 2 * schedule.trainers + 5);
  }
  // Another server has to answer in the place of one that lies or is slow.
  if (schedule.owners < 2) {
    schedule.abuses &= ~int64_t{kLyingPeer | kSlowPeer | kLyingServer};
  }
  // Their questions are not split into smaller replies.
  if (schedule.kind > kSimWalks || schedule.subgraph == 2) {
    schedule.leaf_reply = 4 * kMiB;
  }
  std::erase_if(schedule.faults, [&](const SimFault& fault) {
    return !Exists(fault.node, schedule) ||
           (HasOther(fault.kind) && !Exists(fault.other, schedule)) ||
           (IsOfServersOnly(fault.kind) && !fault.node.is_server);
  });
}

}  // namespace tributary
