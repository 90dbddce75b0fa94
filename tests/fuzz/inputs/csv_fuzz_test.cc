// Fuzzes the csv readers: any file, plain or gzip, is either a table with the
// requested columns or refused. The first byte of an input selects the reader
// and whether the rest is compressed first.
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/csv/csv_column.h"
#include "partition/pipeline/inputs/csv/csv_table.h"
#include "partition/pipeline/inputs/csv/triple_table.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/scratch_file.h"

namespace tributary {
namespace {

constexpr int64_t kNumRows = 3;
constexpr int64_t kNumNodes = 5;

std::vector<uint8_t> Gzip(absl::Span<const uint8_t> bytes) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  Must(deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, 8,
                    Z_DEFAULT_STRATEGY) == Z_OK,
       "zlib starts");
  std::vector<uint8_t> out(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<unsigned>(out.size());
  Must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib ends");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

void CheckRows(const absl::StatusOr<ColumnPtr>& rows, size_t size) {
  if (!rows.ok()) return;
  Must((*rows)->num_rows() == kNumRows, "as many rows as asked for");
  const size_t row_bytes = (*rows)->schema().row_bytes();
  Must(row_bytes <= size * sizeof(int64_t), "no more cells than bytes");
  std::vector<uint8_t> out(kNumRows * row_bytes);
  Must((*rows)->Read(0, kNumRows, out.data()).ok(), "rows are read");
}

std::vector<int64_t> IdsIn(const Column& column) {
  std::vector<int64_t> ids(static_cast<size_t>(column.num_rows()));
  Must(column.Read(0, column.num_rows(), reinterpret_cast<uint8_t*>(ids.data()))
           .ok(),
       "ids are read");
  return ids;
}

void CheckIds(const std::vector<int64_t>& ids) {
  for (int64_t id : ids) Must(id >= 0 && id < kNumNodes, "ids are in range");
}

void CheckEdges(const CsvEdgeEnds& edges) {
  Must(edges.from.size() == edges.to.size(), "edges have two ends");
  CheckIds(edges.from);
  CheckIds(edges.to);
}

// Compares the parsed triples with those of the reader of short files.
void CheckTriples(const std::string& path, const Spool& spool) {
  const auto list = ReadTripleList(path, kNumNodes, kNumRows);
  const auto table = ReadTripleTable(path, kNumNodes, kNumRows, spool);
  Must(list.ok() == table.ok(), "both readers agree on errors");
  if (!list.ok()) return;
  Must(list->size() == kNumRows && table->size() == kNumRows,
       "edges by relation");
  for (size_t k = 0; k < kNumRows; ++k) {
    CheckEdges((*list)[k]);
    Must((*list)[k].from == IdsIn(*(*table)[k].from), "both read the same");
    Must((*list)[k].to == IdsIn(*(*table)[k].to), "both read the same");
  }
}

void Read(int reader, const std::string& path, size_t size) {
  const TemporaryFolder folder;
  const Spool spool(folder.path());
  switch (reader) {
    case 0:
      return CheckRows(ReadFloatTable(path, kNumRows, spool), size);
    case 1:
      return CheckRows(ReadLabelTable(path, kNumRows, spool), size);
    case 2: {
      const auto edges =
          ReadEdgeTable(path, kNumRows, kNumNodes, kNumNodes, spool);
      if (!edges.ok()) return;
      Must(edges->from->num_rows() == kNumRows, "as many edges as asked for");
      return CheckEdges({IdsIn(*edges->from), IdsIn(*edges->to)});
    }
    case 3: {
      const auto ids = ReadIdList(path, kNumNodes, "node");
      if (ids.ok() && ids->has_value()) CheckIds(**ids);
      return;
    }
    case 4: {
      const auto count = ReadSingleCount(path);
      return Must(!count.ok() || *count >= 0, "a count is not negative");
    }
    case 5:
      return CheckRows(ReadWeightTable(path, kNumRows, spool), size);
    case 6:
      return CheckRows(ReadTimeTable(path, kNumRows, spool), size);
    case 7: {
      const auto pairs = ReadPairList(path, kNumNodes, kNumNodes);
      if (pairs.ok() && pairs->has_value()) CheckEdges(**pairs);
      return;
    }
    case 8:
      return CheckRows(ReadMaskTable(path, kNumRows, spool), size);
    default:
      return CheckTriples(path, spool);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr uint8_t kReaders = 10;
  const uint8_t choice = static_cast<uint8_t>(data[0] - '0');
  const int reader = choice % kReaders;  // '0' to '9' plain, then compressed
  const bool compress = choice / kReaders % 2 == 1;
  const absl::Span<const uint8_t> bytes(data + 1, size - 1);
  static const ScratchFile file;
  if (compress) {
    file.Write(Gzip(bytes));
  } else {
    file.Write(bytes);
  }
  // A gzip file that is damaged by hand may still hold a thousand times more.
  Read(reader, file.path(), 1 + size * 1100);
  return 0;
}

}  // namespace tributary
