// Reads a user's graph in one of the input formats.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/schema/schema.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"
#include "partition/writer/content.h"

namespace tributary {

// Returns the formats that ReadSource reads, by name.
std::vector<std::string> InputFormats();

// Returns the files and folders that ReadSource reads, for whoever must notice
// that they have changed. Errors as ReadGraphLayout.
absl::StatusOr<std::vector<std::string>> InputFiles(
    const InputOptions& options);

// Describes a graph whose columns are read in ranges; text is parsed into
// `spool`, which must outlive the result, in bounded memory. The stages "reads
// the input", "numbers the nodes" and "reads the splits" are reported to the
// spool's progress. INVALID_ARGUMENT with file, line and what is allowed, also
// for an unknown format; DATA_LOSS for damaged files; NOT_FOUND;
// RESOURCE_EXHAUSTED, before anything is parsed, if the spool's disk has too
// little room for the columns, and when it is full.
absl::StatusOr<GraphSource> ReadSource(const InputOptions& options,
                                       const Spool& spool);

// Returns length and checksum of the dictionaries of ids that a graph's folder
// gets, by its path there. Reads GraphSource::id_files; the system's errors.
absl::StatusOr<std::vector<FileSchema>> IdFilesOf(const GraphSource& graph);

// A graph that was read into memory.
struct Input {
  GraphContent content;
  std::vector<std::string> notes;    // what was left out, for the user
  std::vector<FileSchema> id_files;  // as IdFilesOf
};

// Reads a graph into memory, by way of a spool in a folder of its own below the
// system's folder for temporary files (TMPDIR). Errors as ReadSource and
// LoadContent; INVALID_ARGUMENT for more nodes than memory holds.
absl::StatusOr<Input> ReadInput(const InputOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_INPUT_H_
