// Makes tests find the program tributary-parquet.
#ifndef TRIBUTARY_CLI_PARQUET_TESTING_PARQUET_PATH_H_
#define TRIBUTARY_CLI_PARQUET_TESTING_PARQUET_PATH_H_

#include <cstdlib>
#include <filesystem>

namespace tributary {

// Puts the program of a test's `data` on PATH.
inline void FindParquetProgram() {
  setenv("PATH", std::filesystem::absolute("cli").c_str(), 1);
}

}  // namespace tributary

#endif  // TRIBUTARY_CLI_PARQUET_TESTING_PARQUET_PATH_H_
