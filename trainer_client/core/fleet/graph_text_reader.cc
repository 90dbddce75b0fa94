#include "trainer_client/core/fleet/graph_text_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/fleet/graph_text.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Done = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

// For a server that has too many calls or unread answers of this caller.
constexpr int kMaxRefusals = 50;
constexpr absl::Duration kPause = absl::Milliseconds(200);

// Its calls and timers keep it alive.
class Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(GraphTextSource source, const GraphTextId& text, GraphTextPages pages,
         Done done)
      : source_(std::move(source)),
        text_(text),
        pages_(std::move(pages)),
        done_(std::move(done)) {}

  void Next() {
    const auto client = source_.client.lock();
    if (client == nullptr) {
      return done_(absl::CancelledError("the connection is not used any more"));
    }
    client->Call(GraphPageCall(text_, pages_.offset()),
                 source_.strand->Now() + source_.timeout, kGraphPageBytes,
                 [self = shared_from_this()](absl::StatusOr<CallReply> reply) {
                   self->source_.strand->Post(
                       [self, reply = std::move(reply)] { self->Take(reply); });
                 });
  }

 private:
  void Take(const absl::StatusOr<CallReply>& reply) {
    if (absl::IsResourceExhausted(reply.status()) &&
        ++refusals_ <= kMaxRefusals) {
      source_.strand->PostAfter(kPause,
                                [self = shared_from_this()] { self->Next(); });
      return;
    }
    const absl::Status added = Add(reply);
    if (!added.ok()) return done_(added);
    if (pages_.complete()) return done_(pages_.Take());
    Next();
  }

  absl::Status Add(const absl::StatusOr<CallReply>& reply) {
    RETURN_IF_ERROR(reply.status());
    RETURN_IF_ERROR(CheckGraphPage(text_, *reply));
    return pages_.Add(reply->payload.span());
  }

  const GraphTextSource source_;
  const GraphTextId text_;
  GraphTextPages pages_;
  Done done_;
  int refusals_ = 0;
};

}  // namespace

CallRequest GraphPageCall(const GraphTextId& text, uint64_t offset) {
  v1::GetGraphJsonRequest request;
  request.set_layout_digest(text.layout.data(), text.layout.size());
  request.set_offset(offset);
  return {.kind = MessageKind::kGetGraphJsonRequest,
          .header = request.SerializeAsString()};
}

absl::Status CheckGraphPage(const GraphTextId& text, const CallReply& reply) {
  if (reply.kind != MessageKind::kGetGraphJsonReply) {
    return absl::InternalError(
        absl::StrCat("answered by ", MessageKindName(reply.kind)));
  }
  ASSIGN_OR_RETURN(const auto told, ParseReplyHeader<v1::GetGraphJsonReply>(
                                        reply.kind, reply.header));
  if (told.total() == text.bytes &&
      told.sha256() == std::string(text.sha256.begin(), text.sha256.end())) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("a page of another graph.json, of ", told.total(),
                   " bytes, where the server described one of ", text.bytes));
}

void ReadGraphText(GraphTextSource source, const GraphTextId& text, Done done) {
  auto pages = GraphTextPages::Start(text.bytes, text.sha256);
  if (!pages.ok()) return done(pages.status());
  std::make_shared<Reader>(std::move(source), text, *std::move(pages),
                           std::move(done))
      ->Next();
}

}  // namespace tributary
