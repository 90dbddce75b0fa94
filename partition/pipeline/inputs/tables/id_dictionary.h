// Numbers nodes by the order of their ids in the user's data.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ID_DICTIONARY_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ID_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// The distinct ids of one node type; an id's number is its place. Numbers
// ascend; texts are in byte order.
struct IdDictionary {
  ColumnPtr numbers;         // int64; null if the ids are texts
  ColumnPtr offsets, bytes;  // text i is bytes [offsets[i], offsets[i + 1])
  // Whether the ids are 0 to N - 1, so that they are their own numbers.
  bool identity = false;

  bool is_numbers() const { return numbers != nullptr; }
  int64_t num_ids() const {
    return is_numbers() ? numbers->num_rows() : offsets->num_rows() - 1;
  }
};

// Makes the dictionary of all ids in columns that IdTextReader reads, in the
// spool by `name`; an earlier run's if it is complete. It has numbers unless
// `texts` is set or an id is none (ParseNumberId). Reads the columns once, or
// twice if an id is found late that is no number; takes about `memory` bytes.
// Reports the bytes of the columns as the part `name` of the progress.
absl::StatusOr<IdDictionary> MakeIdDictionary(
    absl::Span<const ColumnPtr> columns, bool texts, size_t memory,
    const Spool& spool, const std::string& name);

// Returns the first text, in byte order, that is a whole number as programs do
// not write it: "01", "+1", " 1" or "1.0", which another id may mean as well;
// "" if there is none. Requires !dictionary.is_numbers().
absl::StatusOr<std::string> FindOddNumber(const IdDictionary& dictionary);

// Returns the numbers of the ids in `column`: int64 by row, in the spool by
// `name`. Reads the column once for each part of the dictionary that `memory`
// holds. INVALID_ARGUMENT, as "WHERE: ID is no ...", for an id that the
// dictionary lacks, where `place` tells the rows. Reports the bytes of the
// column as the part `name` of the progress.
absl::StatusOr<ColumnPtr> NumberIds(const Column& column,
                                    const IdDictionary& dictionary,
                                    const Column* place, size_t memory,
                                    const Spool& spool,
                                    const std::string& name);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ID_DICTIONARY_H_
