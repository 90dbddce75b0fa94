// Collects the tables of OGB's text layouts that are going to be parsed.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_EXPECTED_TABLES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_EXPECTED_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "partition/pipeline/inputs/ogb/ogb_files.h"
#include "partition/source/spool.h"

namespace tributary {

// The parts of an input for Spool::Expect. Files that are not there, or cannot
// be read, are left out: their readers say what is wrong. Not thread-safe.
class ExpectedTables {
 public:
  // Adds the table `stem` of `rows` rows, which `read` parses.
  void Add(const std::string& stem, int64_t rows, TableReader read);
  // Adds the file that the user names, if there is one, in `folder`.
  void AddNamed(const NamedFile& file, const std::string& folder, int64_t rows);
  // Adds a table of ids, such as the ends of edges.
  void AddIds(const std::string& stem, int64_t rows);
  // Adds the files of edges in `folder`, which ends in '/': ends, features, and
  // those that the options name.
  void AddEdges(const std::string& folder, int64_t rows,
                const InputOptions& options);

  const std::vector<ParsedPart>& parts() const { return parts_; }

 private:
  void AddTable(const std::string& stem, int64_t rows, size_t cell_bytes);

  std::vector<ParsedPart> parts_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_EXPECTED_TABLES_H_
