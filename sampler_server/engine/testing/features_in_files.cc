#include "sampler_server/engine/testing/features_in_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

UniqueFd FileOf(absl::Span<const uint8_t> bytes) {
  UniqueFd fd(memfd_create("features", MFD_CLOEXEC));
  if (write(fd.get(), bytes.data(), bytes.size()) ==
      static_cast<ssize_t>(bytes.size())) {
    return fd;
  }
  std::perror("features_in_files");
  std::abort();
}

}  // namespace

FeaturesInFiles::FeaturesInFiles(std::shared_ptr<const Graph> graph)
    : graph_(std::move(graph)) {
  const uint32_t parts = schema().num_partitions;
  for (size_t t = 0; t < schema().node_types.size(); ++t) {
    auto& here = nodes_.emplace_back(parts);
    for (const uint32_t p : partitions()) {
      NodePartition& part = here[p].emplace(*graph_->nodes(t, p));
      part.x_file = Store(absl::StrCat("x of partition ", p),
                          schema().node_types[t].x, part.x);
      part.x = {};
    }
  }
  for (size_t t = 0; t < schema().edge_types.size(); ++t) {
    auto& here = edges_.emplace_back(parts);
    for (const uint32_t p : partitions()) {
      EdgePartition& part = here[p].emplace(*graph_->edges(t, p));
      part.edge_attr_file =
          Store(absl::StrCat("edge_attr of partition ", p),
                schema().edge_types[t].edge_attr, part.edge_attr);
    }
  }
}

const RowFile* FeaturesInFiles::Store(const std::string& name,
                                      const std::optional<ColumnSchema>& column,
                                      absl::Span<const uint8_t> bytes) {
  if (!column.has_value()) return nullptr;
  const size_t row = column->row_bytes();
  files_.push_back(std::make_unique<RowFile>(
      FileOf(bytes), name, RowFile::Table{0, row, bytes.size() / row}));
  return files_.back().get();
}

void LateRows::Read(RowRead read, std::shared_ptr<Strand> strand, Done done) {
  Strand& at = *strand;
  at.PostAfter(absl::Milliseconds(1), [read = std::move(read),
                                       done = std::move(done)]() mutable {
    const auto rows = read.places.rows;
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return rows[a] < rows[b]; });
    absl::Status status =
        read.file->Read(read.places, order, read.cancel).status();
    read.hold.reset();
    done(std::move(status));
  });
}

}  // namespace tributary
