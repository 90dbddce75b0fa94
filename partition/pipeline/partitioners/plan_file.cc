#include "partition/pipeline/partitioners/plan_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

constexpr size_t kMaxListBytes = size_t{64} << 20;

absl::Span<const uint8_t> BytesOf(const std::vector<uint16_t>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(uint16_t)};
}

absl::Status RemoveIfThere(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return PathError(path, "remove");
}

std::string CrcLine(const std::string& header,
                    const std::vector<uint16_t>& values) {
  const uint32_t crc = ExtendCrc32c(
      Crc32c({reinterpret_cast<const uint8_t*>(header.data()), header.size()}),
      BytesOf(values));
  return absl::StrCat("crc32c ", crc, "\n");
}

std::string HeaderOf(int64_t num_nodes) {
  return FormatNpyHeader(kNpyUint16, {num_nodes});
}

}  // namespace

PlanFile::PlanFile(std::string folder, const GraphSource& graph,
                   const PartitionOptions& options)
    : folder_(std::move(folder)) {
  key_ = absl::StrCat("--method ", options.method, " --num-parts ",
                      options.num_partitions, " --random-seed ",
                      options.random_seed, MethodFlagsText(options), " ",
                      options.assignment, "\n");
  for (const NodeSource& type : graph.node_types) {
    absl::StrAppend(&key_, "nodes ", type.name, " ", type.num_nodes, "\n");
    num_nodes_.push_back(type.num_nodes);
  }
  for (const EdgeSource& edges : graph.edge_types) {
    absl::StrAppend(&key_, "rows ", edges.name(), " ", edges.num_rows(), "\n");
  }
}

std::string PlanFile::ArrayPath(size_t type) const {
  return absl::StrCat(folder_, "/plan-", type, ".npy");
}

std::string PlanFile::ListPath() const { return folder_ + "/plan.txt"; }

absl::StatusOr<bool> PlanFile::Find(
    std::vector<std::vector<uint16_t>>& partition_of) const {
  std::error_code error;
  if (folder_.empty() || !std::filesystem::exists(ListPath(), error)) {
    return false;
  }
  ASSIGN_OR_RETURN(const std::string list, ReadFile(ListPath(), kMaxListBytes));
  if (list.rfind(key_, 0) != 0) return false;
  std::string found = key_;
  std::vector<std::vector<uint16_t>> read;
  for (size_t t = 0; t < num_nodes_.size(); ++t) {
    const std::string header = HeaderOf(num_nodes_[t]);
    std::vector<uint16_t> values(static_cast<size_t>(num_nodes_[t]));
    const uint64_t bytes = values.size() * sizeof(uint16_t);
    if (std::filesystem::file_size(ArrayPath(t), error) !=
        header.size() + bytes) {
      return false;
    }
    ASSIGN_OR_RETURN(const UniqueFd file, OpenForReading(ArrayPath(t)));
    RETURN_IF_ERROR(ReadExactly(file.get(), ArrayPath(t), header.size(),
                                reinterpret_cast<uint8_t*>(values.data()),
                                bytes));
    found += CrcLine(header, values);
    read.push_back(std::move(values));
  }
  if (found != list) return false;
  partition_of = std::move(read);
  return true;
}

absl::Status PlanFile::Save(
    const std::vector<std::vector<uint16_t>>& partition_of) const {
  if (folder_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(RemoveIfThere(ListPath()));
  std::string list = key_;
  for (size_t t = 0; t < partition_of.size(); ++t) {
    const std::string header = HeaderOf(num_nodes_[t]);
    RETURN_IF_ERROR(RemoveIfThere(ArrayPath(t)));
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(ArrayPath(t)));
    RETURN_IF_ERROR(file.Append(header));
    RETURN_IF_ERROR(file.Append(BytesOf(partition_of[t])));
    RETURN_IF_ERROR(file.Close());
    absl::StrAppend(&list, "crc32c ", file.crc32c(), "\n");
  }
  const std::string temporary = ListPath() + ".tmp";
  RETURN_IF_ERROR(RemoveIfThere(temporary));
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  RETURN_IF_ERROR(file.Append(list));
  RETURN_IF_ERROR(file.Close());
  if (std::rename(temporary.c_str(), ListPath().c_str()) != 0) {
    return PathError(ListPath(), "rename a file to");
  }
  return absl::OkStatus();
}

}  // namespace tributary
