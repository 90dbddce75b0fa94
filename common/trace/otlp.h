// Writes batches as spans in OpenTelemetry's OTLP/JSON, a line for each.
#ifndef TRIBUTARY_COMMON_TRACE_OTLP_H_
#define TRIBUTARY_COMMON_TRACE_OTLP_H_

#include <string>

#include "common/proto/trace.pb.h"
#include "common/trace/batch_timeline.h"

namespace tributary {

// Return one ExportTraceServiceRequest (which is TracesData) in the JSON
// encoding of OTLP 1.x, without a line end, as OpenTelemetry's file exporter
// writes them: ids in lower-case hexadecimal digits, 64-bit numbers as decimal
// texts, enumerations as numbers. All texts are sanitised; a hostile server
// makes at most 1 MiB of a line, which is what the OpenTelemetry collector
// reads.
//
// Ids of spans are the first 8 bytes of SHA-256 over the trace's id and the
// span's path, so that the same batch gives the same ids.

// Of a batch as its trainer took it. Spans, each below its parent:
//
//   batch                       the trainer, from asked to taken
//     attempt                   CLIENT: asked to ready or ended
//       make batch              SERVER: on the server
//         queue, sample, ...    its stages
//         sample_hop, gather    CLIENT: a call to a peer
//           sample_hop, gather  SERVER: on the peer
//             queue, work, disk
//     wait in ring              ready to taken
//
// Clocks of machines differ, so what servers tell is laid into the span of who
// has asked them: a server's span into the middle of the attempt, a peer's into
// the middle of its call, as if both ways of the network had taken as long.
std::string OtlpLine(const BatchTimeline& timeline);

// Of one attempt, as its server ("HOST:PORT") tells, without the trainer: "make
// batch" has no parent, and begins at the server's own time of arrival.
std::string OtlpLine(const std::string& server, const v1::BatchTrace& trace);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_OTLP_H_
