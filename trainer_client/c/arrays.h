// Arrays that a call has read, as a handle.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_ARRAYS_H_
#define TRIBUTARY_TRAINER_CLIENT_C_ARRAYS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trainer_client/c/handles.h"
#include "trainer_client/graph/graph_data.h"

namespace tributary {

// Makes a handle of arrays, one by one. Functions throw std::bad_alloc.
class ArraysMaker {
 public:
  ArraysMaker() : arrays_(std::make_unique<tributary_arrays>()) {}

  // Adds [ids.size()] numbers.
  ArraysMaker& Add(std::string name, std::vector<int64_t> ids);
  // Adds rows of a column.
  ArraysMaker& Add(std::string name, GraphRows rows);

  // Returns the handle, which the caller owns.
  tributary_arrays* Release() { return arrays_.release(); }

 private:
  void Add(TensorView view, std::shared_ptr<const void> memory);

  std::unique_ptr<tributary_arrays> arrays_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_C_ARRAYS_H_
