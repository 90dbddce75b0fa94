#include "partition/pipeline/partitioners/ldg/edge_buckets.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/io/file_mapping.h"
#include "common/io/file_writer.h"
#include "common/io/free_disk.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/ldg/bucket_writer.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

constexpr size_t kPairsAtOnce = size_t{1} << 16;
constexpr uint64_t kMaxBuckets = 256;  // files that are open at once
constexpr uint64_t kBucketBytes = uint64_t{16} << 20;  // aimed at
constexpr uint64_t kBucketNodes = uint64_t{64} << 10;  // aimed at
constexpr uint64_t kLeastBufferBytes = 2048;           // of a bucket
constexpr uint64_t kMostBufferBytes = uint64_t{128} << 10;
// What a thread takes beside the buffers: the rows that it reads.
constexpr uint64_t kRowBytes = static_cast<uint64_t>(kRowsAtOnce) * 32;
constexpr size_t kMaxListBytes = 64 << 10;

// Names the file that is written last.
std::string ListPath(const std::string& folder) {
  return folder + "/ldg-buckets.txt";
}

}  // namespace

std::string EdgeBuckets::PathOf(size_t bucket) const {
  return absl::StrCat(folder_, "/ldg-bucket-", bucket);
}

std::string EdgeBuckets::ListText() const {
  std::string text =
      absl::StrCat("nodes ", num_nodes_, " rows ", num_rows_, " width ", width_,
                   " pair_bytes ", wide_ ? 16 : 8, "\n");
  for (const uint64_t pairs : num_pairs_) absl::StrAppend(&text, pairs, "\n");
  return text;
}

absl::Status EdgeBuckets::WriteList() const {
  const std::string path = ListPath(folder_);
  const std::string temporary = path + ".tmp";
  if (unlink(temporary.c_str()) != 0 && errno != ENOENT) {
    return PathError(temporary, "remove");
  }
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  RETURN_IF_ERROR(file.Append(ListText()));
  RETURN_IF_ERROR(file.Close());
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return PathError(path, "rename a file to");
  }
  return absl::OkStatus();
}

// Takes the width and the pairs of a finished list that fits the graph and
// whose files have the right sizes; else leaves `found` false.
absl::Status EdgeBuckets::ReadList(bool& found) {
  found = false;
  std::error_code error;
  if (!std::filesystem::exists(ListPath(folder_), error)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(ListPath(folder_), kMaxListBytes));
  const std::vector<std::string> lines =
      absl::StrSplit(text, '\n', absl::SkipEmpty());
  EdgeBuckets listed = *this;
  listed.num_pairs_.clear();
  const std::vector<std::string> words =
      lines.empty() ? lines : absl::StrSplit(lines[0], ' ');
  if (words.size() != 8 || !absl::SimpleAtoi(words[5], &listed.width_) ||
      listed.width_ == 0) {
    return absl::OkStatus();
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    uint64_t pairs = 0;
    if (!absl::SimpleAtoi(lines[i], &pairs)) return absl::OkStatus();
    listed.num_pairs_.push_back(pairs);
  }
  const uint64_t expected = (num_nodes_ + listed.width_ - 1) / listed.width_;
  if (listed.ListText() != text || listed.size() != expected) {
    return absl::OkStatus();  // of other counts: not this graph's
  }
  for (size_t b = 0; b < listed.size(); ++b) {
    const uint64_t bytes = std::filesystem::file_size(PathOf(b), error);
    if (error || bytes != listed.num_pairs(b) * (wide_ ? 16 : 8)) {
      return absl::OkStatus();
    }
  }
  *this = std::move(listed);
  found = true;
  return absl::OkStatus();
}

uint64_t EdgeBuckets::MaxNodes(uint64_t num_nodes) {
  return std::min(num_nodes,
                  std::max(2 * kBucketNodes, num_nodes / kMaxBuckets + 1));
}

uint64_t EdgeBuckets::LeastBufferBytes(int threads) {
  return static_cast<uint64_t>(threads) *
         (kRowBytes + kMaxBuckets * kLeastBufferBytes);
}

absl::StatusOr<EdgeBuckets> EdgeBuckets::Make(const GraphSource& graph,
                                              const JointNodes& nodes,
                                              const PartitionContext& context,
                                              const std::string& folder,
                                              uint64_t buffer_bytes) {
  EdgeBuckets buckets;
  buckets.folder_ = folder;
  buckets.num_nodes_ = nodes.size();
  buckets.num_rows_ = NumRowsRead(graph);
  buckets.wide_ = nodes.size() > (uint64_t{1} << 32);
  const uint64_t pair_bytes = buckets.wide_ ? 16 : 8;
  bool found = false;
  RETURN_IF_ERROR(buckets.ReadList(found));
  if (found || nodes.size() == 0) return buckets;

  RETURN_IF_ERROR(CheckFreeDisk(folder, buckets.num_rows_ * pair_bytes,
                                "--method ldg needs"));
  const uint64_t wanted = std::clamp<uint64_t>(
      std::max(buckets.num_rows_ * pair_bytes / kBucketBytes,
               nodes.size() / kBucketNodes),
      1, std::min(kMaxBuckets, nodes.size()));
  buckets.width_ = (nodes.size() + wanted - 1) / wanted;
  const uint64_t size = (nodes.size() + buckets.width_ - 1) / buckets.width_;
  buckets.num_pairs_.assign(size, 0);
  const auto threads = static_cast<uint64_t>(context.num_threads());
  const uint64_t of_thread = buffer_bytes / threads;
  const uint64_t of_bucket =
      of_thread > kRowBytes ? (of_thread - kRowBytes) / size : 0;
  const uint64_t buffer =
      std::clamp(of_bucket, kLeastBufferBytes, kMostBufferBytes);
  std::vector<uint64_t> num_pairs;
  BucketWriter writer(graph, nodes, context, buckets, buffer / pair_bytes);
  RETURN_IF_ERROR(writer.Run(num_pairs));
  buckets.num_pairs_ = std::move(num_pairs);
  RETURN_IF_ERROR(buckets.WriteList());
  return buckets;
}

template <typename Id>
absl::Status EdgeBuckets::ForEachPair(
    size_t bucket,
    absl::FunctionRef<void(absl::Span<const EndPair<Id>>)> f) const {
  const uint64_t total = num_pairs_[bucket];
  if (total == 0) return absl::OkStatus();
  const std::string path = PathOf(bucket);
  ASSIGN_OR_RETURN(const UniqueFd file, OpenForReading(path));
  std::vector<EndPair<Id>> pairs(std::min<uint64_t>(kPairsAtOnce, total));
  for (uint64_t begin = 0; begin < total; begin += pairs.size()) {
    const auto count =
        static_cast<size_t>(std::min<uint64_t>(pairs.size(), total - begin));
    RETURN_IF_ERROR(ReadExactly(file.get(), path, begin * sizeof(EndPair<Id>),
                                reinterpret_cast<uint8_t*>(pairs.data()),
                                count * sizeof(EndPair<Id>)));
    f({pairs.data(), count});
  }
  return absl::OkStatus();
}

template absl::Status EdgeBuckets::ForEachPair<uint32_t>(
    size_t, absl::FunctionRef<void(absl::Span<const EndPair<uint32_t>>)>) const;
template absl::Status EdgeBuckets::ForEachPair<uint64_t>(
    size_t, absl::FunctionRef<void(absl::Span<const EndPair<uint64_t>>)>) const;

void EdgeBuckets::RemoveFrom(const std::string& folder) {
  std::error_code error;
  // The list first: without it the rest is not found again.
  std::filesystem::remove(ListPath(folder), error);
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    if (file.path().filename().string().rfind("ldg-bucket", 0) == 0) {
      files.push_back(file.path());
    }
  }
  for (const auto& file : files) std::filesystem::remove(file, error);
}

}  // namespace tributary
