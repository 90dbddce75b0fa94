// Reads rows ahead of their use.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_PREFETCH_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_PREFETCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/row_read.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// Reads rows as of the round that was closed last into memory of its own. Take
// asks the members which of them have changed since, and takes these anew; so
// the values are those of a read that begins at Take. One thread.
class StartedPrefetch final : public RowPrefetch {
 public:
  // Begins to read. Requires rows that CheckRows has passed.
  StartedPrefetch(std::shared_ptr<TensorClient> client,
                  std::shared_ptr<const TensorInfo> tensor,
                  absl::Span<const int64_t> rows);
  ~StartedPrefetch() override;

  // Whether these are its rows, of this tensor.
  bool IsOf(const TensorInfo& tensor, absl::Span<const int64_t> rows) const;
  // Copies the rows' values to `out`. Call at most once.
  absl::Status Take(absl::Span<uint8_t> out);

 private:
  struct State;

  const std::shared_ptr<TensorClient> client_;
  const std::shared_ptr<const TensorInfo> tensor_;
  const std::vector<int64_t> rows_;
  const std::shared_ptr<State> state_;
};

// Reads `rows` into `out` and waits.
absl::Status ReadRows(const std::shared_ptr<TensorClient>& client,
                      std::shared_ptr<DistRowRead> read,
                      absl::Span<uint8_t> out);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_ROW_PREFETCH_H_
