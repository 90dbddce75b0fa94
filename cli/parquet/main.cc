// The `tributary-parquet` program: reads Parquet files for `tributary
// partition`. A program of its own, because no other needs Arrow for it.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "cli/parquet/parquet_file.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/pipeline/inputs/parquet/parquet_frames.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr char kHelp[] =
    R"(Reads Parquet files, for `tributary partition`, which runs this program.
Usage: tributary-parquet schema FILE...
         prints the columns of each file, a line of JSON each
       tributary-parquet rows COLUMN,.. FILE...
         prints the rows of the columns of these numbers, in binary
)";

absl::Status WriteAll(const void* bytes, size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = write(STDOUT_FILENO, from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "writing the rows");
    from += n;
    count -= static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::Status WriteU32(uint32_t value) { return WriteAll(&value, 4); }

// Runs `body`. What Arrow throws becomes DATA_LOSS.
template <typename Body>
absl::Status WithoutExceptions(const std::string& path, Body body) {
  try {
    return body();
  } catch (const std::exception& e) {
    return absl::DataLossError(path + ": " + e.what());
  }
}

absl::StatusOr<Json> SchemaOf(const std::string& path) {
  ASSIGN_OR_RETURN(const ParquetFile file, ParquetFile::Open(path));
  ASSIGN_OR_RETURN(const auto columns, file.Columns());
  Json list = Json::array();
  for (const ParquetColumn& column : columns) {
    list.push_back(
        {{"name", column.name},
         {"type", column.is_text ? std::string(kParquetText)
                                 : std::string(DTypeName(column.schema.dtype))},
         {"dim", column.schema.dim}});
  }
  return Json{{"rows", file.num_rows()},
              {"shape", file.Metadata("shape")},
              {"columns", std::move(list)}};
}

int PrintSchemas(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    Json line;
    const absl::Status status = WithoutExceptions(path, [&] {
      ASSIGN_OR_RETURN(line, SchemaOf(path));
      return absl::OkStatus();
    });
    if (!status.ok()) {
      line = {{"error", std::string(status.message())},
              {"code", static_cast<int>(status.code())}};
    }
    std::puts(
        line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    if (!status.ok()) return 1;
  }
  return 0;
}

absl::Status PrintBlocks(const std::vector<int>& columns,
                         const std::string& path) {
  return WithoutExceptions(path, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const ParquetFile file, ParquetFile::Open(path));
    return file.ForEachBlock(columns, [](absl::Span<const uint8_t> block) {
      return WriteAll(block.data(), block.size());
    });
  });
}

int PrintRows(const std::vector<int>& columns,
              const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const absl::Status status = PrintBlocks(columns, path);
    if (status.ok()) continue;
    const std::string message(status.message().substr(0, kParquetMaxMessage));
    (void)WriteU32(kParquetError);
    (void)WriteU32(static_cast<uint32_t>(status.code()));
    (void)WriteU32(static_cast<uint32_t>(message.size()));
    (void)WriteAll(message.data(), message.size());
    return 1;
  }
  return WriteU32(0).ok() ? 0 : 1;
}

int Run(std::vector<std::string> arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "schema" && arguments.size() >= 2) {
    arguments.erase(arguments.begin());
    return PrintSchemas(arguments);
  }
  if (command == "rows" && arguments.size() >= 3) {
    std::vector<int> columns;
    for (const absl::string_view text : absl::StrSplit(arguments[1], ',')) {
      int column = 0;
      if (!absl::SimpleAtoi(text, &column)) {
        std::fprintf(stderr,
                     "tributary-parquet: \"%s\" is no list of columns\n",
                     arguments[1].c_str());
        return 2;
      }
      columns.push_back(column);
    }
    arguments.erase(arguments.begin(), arguments.begin() + 2);
    return PrintRows(columns, arguments);
  }
  const bool help = command == "--help" || command == "-h";
  std::fputs(kHelp, help ? stdout : stderr);
  return help ? 0 : 2;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  return tributary::Run({argv + 1, argv + argc});
}
