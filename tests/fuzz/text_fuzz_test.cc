// Fuzzes the parsers of addresses, lists of servers, sizes, numbers, options
// and identities: any text is either parsed, and formats to a text that parses
// to the same, or refused. The first byte of an input selects the parser.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_split.h"
#include "channel/grpc/tls/handshake_failure.h"
#include "cli/command/arguments.h"
#include "cli/sample/sample_request.h"
#include "common/fleet/address.h"
#include "common/fleet/discovery_source.h"
#include "common/identity/identity.h"
#include "common/session/edge_condition.h"
#include "common/text/parse_byte_size.h"
#include "partition/pipeline/inputs/text/number_text.h"
#include "tests/fuzz/must.h"
#include "trainer_client/core/session_text/session_table.h"

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

// Returns the session with one option's text; none if it is refused.
std::optional<DescribedSession> SessionWith(const char* name,
                                            const std::string& value) {
  SessionText text;
  text.Set("input_nodes", "train");
  text.Set("num_neighbors", "1");
  text.Set(name, value);
  auto session = ReadSession(text);
  if (!session.ok()) return std::nullopt;
  return *std::move(session);
}

void ReadNumNeighbors(const std::string& text) {
  const auto session = SessionWith("num_neighbors", text);
  if (!session) return;
  const auto& options = std::get<NeighborOptions>(session->options.kind);
  const NumNeighbors& neighbors = options.num_neighbors;
  Must(neighbors.hops() > 0, "there is a hop");
  for (const auto& [type, fanouts] : neighbors.by_edge_type) {
    Must(fanouts.size() == neighbors.hops(), "hops agree");
  }
}

void ReadInputNodes(const std::string& text) {
  const auto session = SessionWith("input_nodes", text);
  if (!session) return;
  const SessionOptions& options = session->options;
  for (int64_t id : options.input_nodes) Must(id >= 0, "ids");
  const int ways = !session->files.input_nodes.empty() +
                   !options.input_split.empty() + !options.input_nodes.empty() +
                   options.all_nodes;
  Must(ways == 1, "inputs come from one place");
}

// A session that can be read can be written, and is then the same.
void MustReadBack(const SessionText& text) {
  const auto session = ReadSession(text);
  if (!session.ok()) return;
  const auto written = TextOf(session->options);
  if (!written.ok()) return;  // its lists are in files
  const auto again = ReadSession(*written);
  if (!again.ok()) {  // all it lacks are names of files
    const ListFiles& files = session->files;
    Must(!files.input_nodes.empty() || !files.input_time.empty() ||
             !files.links.empty(),
         "what is written can be read");
    return;
  }
  Must(TextOf(again->options)->given() == written->given(), "and is the same");
  const auto parsed = ParseSessionJson(SessionJson(*written));
  Must(parsed.ok() && ReadSession(*parsed).ok(), "so does its JSON");
}

void ReadSessionJson(const std::string& text) {
  const auto session = ParseSessionJson(text);
  if (session.ok()) MustReadBack(*session);
}

void MustReadBack(const EdgeCondition& condition) {
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
  arguments.graph = "g";
  std::vector<std::string> parts = absl::StrSplit(text, ';');
  size_t next = 0;
  for (std::string* option :
       {&arguments.servers, &arguments.epoch, &arguments.batches,
        &arguments.threads, &arguments.rpc_timeout, &arguments.buffer_size}) {
    if (next < parts.size() && !parts[next].empty()) *option = parts[next];
    ++next;
  }
  for (const SessionOption& option : SessionTable()) {
    if (next >= parts.size()) break;
    if (!parts[next].empty()) {
      arguments.session.Set(option.words.name, parts[next]);
    }
    ++next;
  }
  MustReadBack(arguments.session);
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
      ReadEdgePredicates, ReadIdentity,   ReadHandshakeFailures,
      ReadSessionJson};
  const auto reader = static_cast<uint8_t>(data[0] - '0');
  kReaders[reader % std::size(kReaders)](text);
  return 0;
}

}  // namespace tributary
