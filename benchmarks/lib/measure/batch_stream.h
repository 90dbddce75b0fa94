// Measures batches over streams of a network, moved as servers and trainers
// move them: cut into frames with CRCs, received into a slot and checked.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_STREAM_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/identity/tls_files.h"

namespace tributary {

// The network that carries the batches, as one end has it.
struct BatchNetwork {
  bool tcp = false;  // else gRPC
  // The files of a sampler, or of a trainer at the receiving end; empty: plain
  // text.
  TlsFiles tls = {};
};

// The sending end: a server that answers every credit with the same batch.
class BatchSender {
 public:
  virtual ~BatchSender() = default;
  // Listens on a free port of loopback. `room`, the batch's bytes, outlives the
  // source.
  static absl::StatusOr<std::unique_ptr<BatchSender>> Start(
      const BatchNetwork& network, absl::Span<const uint8_t> room,
      size_t frame_bytes);
  virtual uint16_t port() const = 0;
};

// The receiving end. Returns the seconds until each of `streams`, each on a
// connection of its own, has received `batches` into an equal part of `to`,
// with two batches requested ahead. The connections are made and one batch is
// received before the clock starts. Returns the stream's error, or
// DEADLINE_EXCEEDED after 60 s.
absl::StatusOr<double> BatchSeconds(const BatchNetwork& network, uint16_t port,
                                    int streams, int batches,
                                    absl::Span<uint8_t> to);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_STREAM_H_
