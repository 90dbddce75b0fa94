#include "sampler_server/service/leaf/unread_rows.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

// Upper limit of the time that a request waits for a disk.
constexpr uint64_t kMaxReadMs = 600'000;

// Keeps itself alive until the reply is complete; runs on a strand of its own.
class ReplyReading : public std::enable_shared_from_this<ReplyReading> {
 public:
  ReplyReading(UnreadRowsContext context, LeafReply reply,
               absl::AnyInvocable<void(absl::StatusOr<LeafReply>)> done)
      : context_(std::move(context)),
        reply_(std::move(reply)),
        done_(std::move(done)),
        strand_(std::make_shared<Strand>(context_.executor)) {}

  void ReadNext() {
    const UnreadRows& unread = reply_.unread;
    if (next_ == unread.columns.size()) return done_(std::move(reply_));
    const UnreadRows::Column& column = unread.columns[next_++];
    const auto self = shared_from_this();
    RowRead read;
    read.file = column.file;
    uint8_t* const to = reply_.payload.data() + column.at;
    read.places = PlacesOf(column.form, unread.rows, {}, to,
                           to + unread.rows.size() * column.form.row_bytes);
    read.hold = self;
    read.deadline = context_.arrived +
                    absl::Milliseconds(std::min(unread.timeout_ms, kMaxReadMs));
    read.cancel = context_.cancel;
    context_.reader->Read(std::move(read), strand_,
                          [self](absl::Status status) {
                            if (status.ok()) return self->ReadNext();
                            self->done_(std::move(status));
                          });
  }

 private:
  const UnreadRowsContext context_;
  LeafReply reply_;
  absl::AnyInvocable<void(absl::StatusOr<LeafReply>)> done_;
  const std::shared_ptr<Strand> strand_;
  size_t next_ = 0;
};

}  // namespace

void ReadUnreadRows(UnreadRowsContext context, LeafReply reply,
                    absl::AnyInvocable<void(absl::StatusOr<LeafReply>)> done) {
  if (reply.unread.columns.empty()) return done(std::move(reply));
  if (context.reader == nullptr) {
    return done(absl::InternalError(
        "features are in files, and nobody reads them here"));
  }
  std::make_shared<ReplyReading>(std::move(context), std::move(reply),
                                 std::move(done))
      ->ReadNext();
}

}  // namespace tributary
