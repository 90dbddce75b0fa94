#include "partition/writer/streaming/pass_state.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/hash/crc32c.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

// All numbers are u64: next_range, 4 of the digest, the counts of the three
// lists, their entries (an output is two numbers), and the CRC of what is
// before.
std::vector<uint64_t> ToNumbers(const PassState& state) {
  std::vector<uint64_t> numbers = {state.next_range};
  uint64_t digest[4];
  std::memcpy(digest, state.digest.data(), sizeof(digest));
  numbers.insert(numbers.end(), digest, digest + 4);
  numbers.insert(numbers.end(), {state.outputs.size(), state.edges.size(),
                                 state.found.size()});
  for (const OutputState& output : state.outputs) {
    numbers.insert(numbers.end(), {output.bytes, output.crc32c});
  }
  numbers.insert(numbers.end(), state.edges.begin(), state.edges.end());
  for (int64_t id : state.found) numbers.push_back(static_cast<uint64_t>(id));
  return numbers;
}

uint64_t CrcOf(absl::Span<const uint64_t> numbers) {
  return Crc32c({reinterpret_cast<const uint8_t*>(numbers.data()),
                 numbers.size() * sizeof(uint64_t)});
}

}  // namespace

absl::Status WritePassState(const std::string& path, const PassState& state) {
  std::vector<uint64_t> numbers = ToNumbers(state);
  numbers.push_back(CrcOf(numbers));
  const std::string temporary = path + ".tmp";
  if (unlink(temporary.c_str()) != 0 && errno != ENOENT) {
    return PathError(temporary, "remove");
  }
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  RETURN_IF_ERROR(file.Append({reinterpret_cast<const uint8_t*>(numbers.data()),
                               numbers.size() * sizeof(uint64_t)}));
  RETURN_IF_ERROR(file.Close());
  if (std::rename(temporary.c_str(), path.c_str()) == 0) {
    return absl::OkStatus();
  }
  return PathError(path, "rename a file to");
}

absl::StatusOr<PassState> ReadPassState(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return PassState();
    return PathError(path, "stat");
  }
  std::vector<uint64_t> numbers(static_cast<size_t>(info.st_size) /
                                sizeof(uint64_t));
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenForReading(path));
  RETURN_IF_ERROR(ReadExactly(fd.get(), path, 0,
                              reinterpret_cast<uint8_t*>(numbers.data()),
                              numbers.size() * sizeof(uint64_t)));
  constexpr size_t kFixed = 8;
  const absl::Status damaged = absl::DataLossError(
      absl::StrCat(path, " is damaged; remove the work folder and begin anew"));
  if (numbers.size() < kFixed + 1) return damaged;
  const uint64_t crc = numbers.back();
  numbers.pop_back();
  if (CrcOf(numbers) != crc) return damaged;
  PassState state;
  state.next_range = numbers[0];
  std::memcpy(state.digest.data(), &numbers[1], state.digest.size());
  const uint64_t outputs = numbers[5], edges = numbers[6], found = numbers[7];
  const uint64_t rest = numbers.size() - kFixed;
  if (outputs > rest / 2 || edges > rest || found > rest ||
      2 * outputs + edges + found != rest) {
    return damaged;
  }
  size_t at = kFixed;
  for (uint64_t i = 0; i < outputs; ++i, at += 2) {
    state.outputs.push_back(
        {numbers[at], static_cast<uint32_t>(numbers[at + 1])});
  }
  for (uint64_t i = 0; i < edges; ++i) state.edges.push_back(numbers[at++]);
  for (uint64_t i = 0; i < found; ++i) {
    state.found.push_back(static_cast<int64_t>(numbers[at++]));
  }
  return state;
}

}  // namespace tributary
