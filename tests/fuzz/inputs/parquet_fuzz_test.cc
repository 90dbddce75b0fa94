// Fuzzes Parquet files, as the program tributary-parquet reads them: any bytes
// are refused with the file's name, or blocks that hold what they say.
#include <cstdint>
#include <cstring>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "cli/parquet/parquet_file.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/parquet/parquet_frames.h"
#include "partition/pipeline/inputs/parquet/parquet_table.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/scratch_file.h"

namespace tributary {
namespace {

uint32_t U32At(absl::Span<const uint8_t> bytes, size_t at) {
  Must(at + 4 <= bytes.size(), "a number lies in the block");
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

// Returns the rows of a block.
uint32_t CheckBlock(absl::Span<const uint8_t> block,
                    const std::vector<ParquetColumn>& columns) {
  const uint32_t rows = U32At(block, 0);
  Must(rows > 0 && rows <= kParquetBlockRows, "a block has rows");
  size_t at = 4;
  for (const ParquetColumn& column : columns) {
    if (!column.is_text) {
      at += rows * column.row_bytes();
      continue;
    }
    size_t texts = 0;
    for (uint32_t r = 0; r < rows; ++r) texts += U32At(block, at + r * 4);
    at += rows * size_t{4} + texts;
  }
  Must(at == block.size(), "a block has the bytes of its rows");
  return rows;
}

absl::Status Read(const std::string& path) {
  ASSIGN_OR_RETURN(const ParquetFile file, ParquetFile::Open(path));
  (void)file.Metadata("shape");
  ASSIGN_OR_RETURN(const std::vector<ParquetColumn> columns, file.Columns());
  std::vector<int> all(columns.size());
  std::iota(all.begin(), all.end(), 0);
  for (const ParquetColumn& column : columns) {
    Must(column.is_text || column.schema.dim >= 0 || file.num_rows() == 0,
         "lists of rows have a length");
  }
  return file.ForEachBlock(all, [&](absl::Span<const uint8_t> block) {
    (void)CheckBlock(block, columns);
    return absl::OkStatus();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const ScratchFile file;
  file.Write({data, size});
  try {
    const absl::Status status = Read(file.path());
    Must(status.ok() || absl::StrContains(status.message(), file.path()),
         "an error names the file");
  } catch (const std::exception&) {
    // The program makes DATA_LOSS of it.
  }
  return 0;
}

}  // namespace tributary
