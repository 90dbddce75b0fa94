// Parses the protobuf in a message's header.
#ifndef TRIBUTARY_CHANNEL_PARSE_HEADER_H_
#define TRIBUTARY_CHANNEL_PARSE_HEADER_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "channel/message.h"

namespace tributary {

// Returns INVALID_ARGUMENT, naming the kind, if `header` is not a serialized
// Proto. Its CRC was right, so the sender wrote it this way.
template <typename Proto>
absl::StatusOr<Proto> ParseHeader(MessageKind kind, std::string_view header) {
  Proto proto;
  // The envelope's limits keep the size within an int.
  if (!proto.ParseFromArray(header.data(), static_cast<int>(header.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("header of ", MessageKindName(kind), ", ", header.size(),
                     " bytes, is not a ", Proto::descriptor()->full_name()));
  }
  return proto;
}

template <typename Proto>
absl::StatusOr<Proto> ParseHeader(const IncomingMessage& message) {
  return ParseHeader<Proto>(message.kind(), message.header());
}

// As ParseHeader, but for what a server answers: DATA_LOSS, so that the fault
// is looked for at the server and not in the request.
template <typename Proto>
absl::StatusOr<Proto> ParseReplyHeader(MessageKind kind,
                                       std::string_view header) {
  auto parsed = ParseHeader<Proto>(kind, header);
  if (parsed.ok()) return parsed;
  return absl::DataLossError(parsed.status().message());
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_PARSE_HEADER_H_
