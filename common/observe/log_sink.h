// Takes the log's lines away from stderr, for libraries in programs of others.
#ifndef TRIBUTARY_COMMON_OBSERVE_LOG_SINK_H_
#define TRIBUTARY_COMMON_OBSERVE_LOG_SINK_H_

#include <functional>
#include <string_view>

#include "common/observe/log.h"

namespace tributary {

// Receives the level and the text of each line, sanitised and cut like those on
// stderr, without time and thread.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

// Passes lines to `sink` instead of stderr; an empty one: to stderr again.
// Several threads may be in the sink at once; it must not log or set a sink.
// Returns when no thread is in the sink before it. Thread-safe.
void SetLogSink(LogSink sink);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_LOG_SINK_H_
