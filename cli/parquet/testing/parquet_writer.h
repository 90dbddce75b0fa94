// Writes Parquet files for tests.
#ifndef TRIBUTARY_CLI_PARQUET_TESTING_PARQUET_WRITER_H_
#define TRIBUTARY_CLI_PARQUET_TESTING_PARQUET_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"

namespace tributary {

// A value of nullopt is a null.
template <typename T>
using MaybeValues = std::vector<std::optional<T>>;

// The values of one column. Lists are of any lengths.
struct WrittenColumn {
  std::string name;
  std::variant<
      std::vector<int64_t>, std::vector<int32_t>, std::vector<uint16_t>,
      std::vector<uint64_t>, std::vector<uint8_t>, std::vector<bool>,
      std::vector<float>, std::vector<double>, std::vector<std::string>,
      MaybeValues<int64_t>, MaybeValues<float>, std::vector<std::vector<float>>>
      values;
};

struct ParquetFileOptions {
  int64_t row_group = 1 << 20;  // rows
  std::string shape;            // DGL's metadata; "": none
  bool fixed_lists = false;     // lists are fixed_size_list
  bool dictionary_texts = false;
};

absl::Status WriteParquet(const std::string& path,
                          const std::vector<WrittenColumn>& columns,
                          const ParquetFileOptions& options = {});

}  // namespace tributary

#endif  // TRIBUTARY_CLI_PARQUET_TESTING_PARQUET_WRITER_H_
