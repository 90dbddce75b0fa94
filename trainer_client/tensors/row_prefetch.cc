#include "trainer_client/tensors/row_prefetch.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {

// On the strand, but for the constructor and, once it has ended, `values`.
struct StartedPrefetch::State {
  explicit State(size_t bytes) : values(bytes) {}

  void End(absl::Status status) {
    ended = std::move(status);
    if (!waiting) return;
    auto done = std::exchange(waiting, nullptr);
    if (!ended->ok()) return done(*ended);
    done(0);
  }

  AlignedBuffer values;
  std::shared_ptr<DistRowRead> read;
  std::optional<absl::Status> ended;
  DistRowRead::Done waiting;
};

StartedPrefetch::StartedPrefetch(std::shared_ptr<TensorClient> client,
                                 std::shared_ptr<const TensorInfo> tensor,
                                 absl::Span<const int64_t> rows)
    : client_(std::move(client)),
      tensor_(std::move(tensor)),
      rows_(rows.begin(), rows.end()),
      state_(std::make_shared<State>(rows.size() * tensor_->row_bytes())) {
  state_->read = std::make_shared<DistRowRead>(client_, tensor_, rows_);
  client_->strand().Post([state = state_, round = client_->closed_rounds()] {
    state->read->Start(state->values.span(), round,
                       [state](const absl::StatusOr<uint64_t>& result) {
                         state->End(result.status());
                       });
  });
}

StartedPrefetch::~StartedPrefetch() { state_->read->Abandon(); }

bool StartedPrefetch::IsOf(const TensorInfo& tensor,
                           absl::Span<const int64_t> rows) const {
  return tensor.spec.name() == tensor_->spec.name() &&
         std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end());
}

absl::Status StartedPrefetch::Take(absl::Span<uint8_t> out) {
  RETURN_IF_ERROR(
      client_
          ->Await<uint64_t>([state = state_](DistRowRead::Done done) {
            state->waiting = std::move(done);
            if (state->ended.has_value()) state->End(*state->ended);
          })
          .status());
  if (!out.empty()) {
    std::memcpy(out.data(), state_->values.data(), out.size());
  }
  return ReadRows(client_, std::make_shared<DistRowRead>(*state_->read), out);
}

absl::Status ReadRows(const std::shared_ptr<TensorClient>& client,
                      std::shared_ptr<DistRowRead> read,
                      absl::Span<uint8_t> out) {
  const absl::Status status =
      client
          ->Await<uint64_t>([read, out, round = client->closed_rounds()](
                                DistRowRead::Done done) mutable {
            read->Start(out, round, std::move(done));
          })
          .status();
  read->Abandon();
  return status;
}

}  // namespace tributary
