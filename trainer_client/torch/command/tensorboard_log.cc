#include "trainer_client/torch/command/tensorboard_log.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/hash/crc32c.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Files of one process in the same second.
constexpr int kMaxNames = 1000;

// Appends an integer or a float as little-endian bytes, the order of the hosts
// that this is built for.
template <typename T>
void PutFixed(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

// --- protobuf's wire format, as far as events need it
// -------------------------
enum WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void PutVarint(std::string& out, uint64_t value) {
  for (; value > 0x7f; value >>= 7) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
  }
  out.push_back(static_cast<char>(value));
}
void PutKey(std::string& out, uint32_t field, WireType type) {
  PutVarint(out, uint64_t{field} << 3 | type);
}
void PutNumber(std::string& out, uint32_t field, uint64_t value) {
  PutKey(out, field, kVarint);
  PutVarint(out, value);
}
void PutString(std::string& out, uint32_t field, const std::string& bytes) {
  PutKey(out, field, kBytes);
  PutVarint(out, bytes.size());
  out.append(bytes);
}

// Field numbers of tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto.
constexpr uint32_t kEventWallTime = 1;     // double
constexpr uint32_t kEventStep = 2;         // int64
constexpr uint32_t kEventFileVersion = 3;  // string
constexpr uint32_t kEventSummary = 5;      // Summary
constexpr uint32_t kEventSessionLog = 7;   // SessionLog
constexpr uint32_t kSummaryValue = 1;      // repeated Value
constexpr uint32_t kValueTag = 1;          // string
constexpr uint32_t kValueSimple = 2;       // float
constexpr uint32_t kSessionLogStatus = 1;  // enum; START = 1

std::string EventAt(absl::Time now, uint64_t step) {
  std::string event;
  PutKey(event, kEventWallTime, kFixed64);
  PutFixed(event, absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  if (step > 0) PutNumber(event, kEventStep, step);  // proto3 omits zeros
  return event;
}

uint32_t MaskedCrc(const std::string& bytes) {
  const uint32_t crc = Crc32c(absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

std::string HostName() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) return "host";
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  return name;
}

// Creates the first file name that is free. TensorBoard reads the files of a
// folder in the order of their names: the time is in front, in ten digits.
absl::StatusOr<std::pair<std::string, FileWriter>> CreateFile(
    const std::string& folder, absl::Time now) {
  const std::string stem =
      absl::StrFormat("%s/events.out.tfevents.%010d.%s.%d", folder,
                      absl::ToUnixSeconds(now), HostName(), getpid());
  absl::Status status;
  for (int i = 0; i < kMaxNames; ++i) {
    std::string path = absl::StrCat(stem, ".", i);
    auto file = FileWriter::Create(path);
    if (file.ok()) return std::make_pair(std::move(path), *std::move(file));
    status = file.status();
    if (!absl::IsAlreadyExists(status)) break;
  }
  return status;
}

}  // namespace

std::string TfRecord(const std::string& data) {
  std::string record;
  PutFixed(record, uint64_t{data.size()});
  PutFixed(record, MaskedCrc(record));
  record.append(data);
  PutFixed(record, MaskedCrc(data));
  return record;
}

std::string VersionEvent(absl::Time now) {
  std::string event = EventAt(now, 0);
  PutString(event, kEventFileVersion, "brain.Event:2");
  return event;
}

std::string SessionStartEvent(uint64_t step, absl::Time now) {
  std::string event = EventAt(now, step), log;
  PutNumber(log, kSessionLogStatus, 1);
  PutString(event, kEventSessionLog, log);
  return event;
}

std::string ScalarEvent(uint64_t step,
                        absl::Span<const TensorBoardScalar> scalars,
                        absl::Time now) {
  std::string summary;
  for (const TensorBoardScalar& scalar : scalars) {
    std::string value;
    PutString(value, kValueTag, scalar.tag);
    PutKey(value, kValueSimple, kFixed32);
    PutFixed(value, static_cast<float>(scalar.value));
    PutString(summary, kSummaryValue, value);
  }
  std::string event = EventAt(now, step);
  PutString(event, kEventSummary, summary);
  return event;
}

absl::StatusOr<TensorBoardLog> TensorBoardLog::Create(
    const std::string& folder, absl::Time now,
    std::optional<uint64_t> resumed_at) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot create folder ", folder));
  }
  ASSIGN_OR_RETURN(auto created, CreateFile(folder, now));
  TensorBoardLog log(std::move(created.first), std::move(created.second));
  std::string head = TfRecord(VersionEvent(now));
  if (resumed_at) head += TfRecord(SessionStartEvent(*resumed_at, now));
  RETURN_IF_ERROR(log.file_.Append(head));
  return log;
}

absl::Status TensorBoardLog::Add(uint64_t step,
                                 absl::Span<const TensorBoardScalar> scalars,
                                 absl::Time now) {
  if (step > uint64_t{std::numeric_limits<int64_t>::max()}) {
    return absl::InvalidArgumentError(absl::StrCat(
        path_, ": step ", step, " is too large; allowed: at most 2^63 - 1"));
  }
  return file_.Append(TfRecord(ScalarEvent(step, scalars, now)));
}

}  // namespace tributary
