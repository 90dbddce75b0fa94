// One array of a graph folder that is to be written.
#ifndef TRIBUTARY_PARTITION_WRITER_ARRAY_JOB_H_
#define TRIBUTARY_PARTITION_WRITER_ARRAY_JOB_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "partition/schema/schema.h"
#include "partition/writer/array_writer.h"

namespace tributary {

// Arrays are independent, so cores take one each.
struct ArrayJob {
  std::string path;
  NpyType type;
  std::vector<int64_t> shape;
  std::function<void(ArrayWriter&)> fill;
};

// 32 bits where ids below `num_ids` fit, else 64.
NpyType IdType(uint64_t num_ids);
// Requires that the id fits the type, which is IdType's.
void PushId(ArrayWriter& out, NpyType type, int64_t id);

// [rows], or [rows, dim].
std::vector<int64_t> ColumnShape(int64_t rows, const ColumnSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_ARRAY_JOB_H_
