// Fuzzes the parsers of addresses, lists of servers, sizes, numbers, options
// and identities: any text is either parsed, and formats to a text that parses
// to the same, or refused. The first byte of an input selects the parser.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "channel/grpc/tls/handshake_failure.h"
#include "cli/command/arguments.h"
#include "cli/sample/sample_fanouts.h"
#include "cli/sample/sample_inputs.h"
#include "cli/sample/sample_request.h"
#include "common/fleet/address.h"
#include "common/fleet/discovery_source.h"
#include "common/identity/identity.h"
#include "common/session/edge_condition.h"
#include "common/text/parse_byte_size.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

void ReadAddress(const std::string& text) {
  const auto address = ParseAddress(text, /*allow_port_zero=*/true);
  if (!address.ok()) return;
  const auto again = ParseAddress(address->ToString(), true);
  Must(again.ok() && *again == *address, "an address reads back");
}

void ReadServers(const std::string& text) {
  const auto source = ParseDiscoverySource(text);
  if (!source.ok()) return;
  Must(source->kind != DiscoverySource::Kind::kStatic ||
           !source->addresses.empty(),
       "a static list names a server");
}

void ReadServerFile(const std::string& text) {
  const auto addresses = ParseServerFile(text, "servers.txt");
  if (!addresses.ok()) return;
  for (const Address& address : *addresses) ReadAddress(address.ToString());
}

void ReadSize(const std::string& text) {
  const auto bytes = ParseByteSize(text);
  Must(!bytes.ok() || *bytes <= uint64_t{1} << 53, "a size is below 2^53");
}

void ReadNumbers(const std::string& text) {
  const auto id = ParseId(text);
  Must(!id.has_value() || *id >= 0, "an id is not negative");
  const auto whole = ParseWholeNumber(text);
  const auto value = ParseFloat32(text);
  Must(!id.has_value() || whole == id, "an id is a whole number");
  Must(!whole.has_value() || value.has_value(), "which is a number");
  Must(!whole.has_value() || *value == static_cast<float>(*whole),
       "and the same one");
}

void ReadOptions(const std::string& text) {
  const auto range = ParseRange("--batches", text);
  Must(!range.ok() || range->from < range->to, "a range is not empty");
  const auto seconds = ParseSeconds("--rpc-timeout", text,
                                    absl::Milliseconds(100), absl::Hours(24));
  Must(!seconds.ok() ||
           (*seconds >= absl::Milliseconds(99) && *seconds <= absl::Hours(24)),
       "a time is in its range");
  const auto whole = ParseWhole("--threads", text, 1, 64);
  Must(!whole.ok() || (*whole >= 1 && *whole <= 64), "so is a number");
}

void ReadNumNeighbors(const std::string& text) {
  NeighborOptions options;
  if (!FillNumNeighbors(text, &options).ok()) return;
  Must(!options.num_neighbors.empty(), "there is a hop");
  for (const auto& [type, fanouts] : options.num_neighbors_by_type) {
    Must(fanouts.size() == options.num_neighbors.size(), "hops agree");
  }
}

void ReadInputNodes(const std::string& text) {
  SampleRequest request;
  if (!ParseInputNodes(text, &request).ok()) return;
  for (int64_t id : request.loader.input_nodes) Must(id >= 0, "ids");
  const int ways =
      !request.input_file.empty() + !request.loader.input_split.empty() +
      !request.loader.input_nodes.empty() + request.loader.all_nodes;
  Must(ways == 1, "inputs come from one place");
}

void MustReadBack(const EdgeCondition& condition) {
  if (!condition.is_whole) return;  // its digits are cut
  const auto again = ParseEdgePredicates(condition.ToString());
  Must(again.ok(), "a condition reads back");
  Must(again->by_default == std::vector<EdgeCondition>{condition},
       "and is the same");
}

void ReadEdgePredicates(const std::string& text) {
  const auto predicates = ParseEdgePredicates(text);
  if (!predicates.ok()) return;
  Must(!predicates->empty(), "there is a condition");
  for (const auto& condition : predicates->by_default) MustReadBack(condition);
  for (const auto& [type, conditions] : predicates->by_edge_type) {
    Must(!type.empty() && !conditions.empty(), "a type has conditions");
    for (const EdgeCondition& condition : conditions) MustReadBack(condition);
  }
}

// The parts between ';' are the options' texts.
void ReadSampleArguments(const std::string& text) {
  SampleArguments arguments;
  arguments.input_nodes = "train";
  arguments.num_neighbors = "1";
  size_t from = 0;
  for (std::string* option :
       {&arguments.servers, &arguments.batch_size, &arguments.random_seed,
        &arguments.epoch, &arguments.batches, &arguments.shuffle,
        &arguments.expand, &arguments.kind, &arguments.threads,
        &arguments.rpc_timeout, &arguments.buffer_size}) {
    const size_t end = std::min(text.find(';', from), text.size());
    if (end > from) *option = text.substr(from, end - from);
    from = std::min(end + 1, text.size());
  }
  (void)ParseSampleArguments(arguments);
}

void ReadIdentity(const std::string& text) {
  const auto identity = ParseIdentity(text);
  const auto of_certificate = IdentityOfCertificate({"https://x/", text});
  Must(identity.ok() == of_certificate.ok(), "a certificate says the same");
  if (!identity.ok()) return;
  Must(!identity->anonymous() && identity->ToUri() == text,
       "an identity reads back");
}

// What a client offers in its handshake is part of gRPC's lines.
void ReadHandshakeFailures(const std::string& text) {
  HandshakeFailureReader reader;
  for (const char* file : {"ssl_transport_security.cc", "chttp2_server.cc"}) {
    (void)reader.Read({file, text});
    (void)reader.Read({file, "Handshake failed: " + text});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr void (*kReaders[])(const std::string&) = {
      ReadAddress,        ReadServers,    ReadServerFile,
      ReadSize,           ReadNumbers,    ReadOptions,
      ReadNumNeighbors,   ReadInputNodes, ReadSampleArguments,
      ReadEdgePredicates, ReadIdentity,   ReadHandshakeFailures};
  kReaders[data[0] % std::size(kReaders)](text);
  return 0;
}

}  // namespace tributary
