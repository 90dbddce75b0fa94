#include "sampler_server/rows/row_queue.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <numeric>
#include <optional>
#include <vector>

#include "common/testing/sim_scheduler.h"
#include "sampler_server/rows/testing/held_pieces.h"

namespace tributary {
namespace {

using Rows = std::vector<uint64_t>;

// A file of 8-byte rows that hold their own number.
std::unique_ptr<RowFile> NumberedRows(uint64_t n) {
  Rows numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  UniqueFd fd(memfd_create("rows", MFD_CLOEXEC));
  EXPECT_EQ(write(fd.get(), numbers.data(), n * 8),
            static_cast<ssize_t>(n * 8));
  return std::make_unique<RowFile>(std::move(fd), "x.npy",
                                   RowFile::Table{0, 8, n});
}

// One request, and what became of it.
struct Asked {
  Rows rows;
  std::shared_ptr<Rows> out;  // until the queue has let go of it
  std::weak_ptr<Rows> held;
  CancelToken cancel;
  std::optional<absl::Status> answer;
};

class RowQueueTest : public testing::Test {
 protected:
  RowQueueTest() { Make({}); }

  void Make(const RowQueueLimits& limits) {
    queue_ = std::make_shared<RowQueue>(&disk_, limits);
  }
  std::shared_ptr<Asked> Ask(Rows rows,
                             absl::Duration timeout = absl::Seconds(10)) {
    auto asked = std::make_shared<Asked>();
    asked->rows = std::move(rows);
    asked->out = std::make_shared<Rows>(asked->rows.size(), ~uint64_t{0});
    asked->held = asked->out;
    RowRead read;
    read.file = file_.get();
    read.places = {
        asked->rows, {}, reinterpret_cast<uint8_t*>(asked->out->data())};
    read.hold = asked->out;
    read.deadline = executor_->Now() + timeout;
    read.cancel = asked->cancel;
    queue_->Read(std::move(read), strand_, [asked](absl::Status status) {
      EXPECT_FALSE(asked->answer.has_value());
      EXPECT_EQ(asked->held.use_count(), asked->out == nullptr ? 0 : 1);
      asked->answer = std::move(status);
    });
    return asked;
  }
  // `n` rows from `first` on, last first.
  static Rows Down(uint64_t first, uint64_t n) {
    Rows rows(n);
    for (uint64_t i = 0; i < n; ++i) rows[i] = first + n - 1 - i;
    return rows;
  }
  void RunFor(absl::Duration time) {
    bool passed = false;
    world_.Schedule(-1, world_.now() + time, [&passed] { passed = true; });
    world_.RunUntil([&passed] { return passed; }, 2 * time);
  }
  void Run() { RunFor(absl::Milliseconds(1)); }

  SimScheduler world_{1};
  SimExecutor* executor_ = world_.AddNode("server");
  std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(executor_);
  const std::unique_ptr<RowFile> file_ = NumberedRows(10'000);
  HeldPieces disk_;
  std::shared_ptr<RowQueue> queue_;
};

TEST_F(RowQueueTest, PiecesGoOutAscendingAndComeBackInAnyOrder) {
  Make({.pieces = 2, .piece_rows = 16});
  const auto asked = Ask(Down(100, 40));
  ASSERT_EQ(disk_.size(), 2u);
  EXPECT_EQ(disk_.RowsOf(0).front(), 100u);
  EXPECT_EQ(disk_.RowsOf(0).back(), 115u);
  EXPECT_EQ(disk_.RowsOf(1).front(), 116u);
  disk_.Answer(1);
  ASSERT_EQ(disk_.size(), 2u);  // the rest
  EXPECT_EQ(disk_.RowsOf(1).front(), 132u);
  EXPECT_EQ(disk_.RowsOf(1).back(), 139u);
  disk_.Answer(1);
  Run();
  EXPECT_FALSE(asked->answer.has_value());
  disk_.Answer(0);
  EXPECT_FALSE(asked->answer.has_value());  // on the strand
  Run();
  EXPECT_EQ(asked->answer, absl::OkStatus());
  EXPECT_EQ(*asked->out, asked->rows);
}

TEST_F(RowQueueTest, NoRowsAreAnsweredAtOnceButNotInsideTheCall) {
  const auto asked = Ask({});
  EXPECT_FALSE(asked->answer.has_value());
  Run();
  EXPECT_EQ(asked->answer, absl::OkStatus());
}

// A small request gets its turn beside a large one.
TEST_F(RowQueueTest, RequestsTakeTurns) {
  Make({.pieces = 1, .piece_rows = 16});
  const auto large = Ask(Down(0, 64));
  const auto small = Ask(Down(1000, 10));
  std::vector<uint64_t> firsts;
  while (disk_.size() > 0) {
    ASSERT_EQ(disk_.size(), 1u);
    firsts.push_back(disk_.RowsOf(0).front());
    disk_.Answer(0);
  }
  EXPECT_EQ(firsts, Rows({0, 16, 1000, 32, 48}));
  Run();
  EXPECT_EQ(*large->out, large->rows);
  EXPECT_EQ(*small->out, small->rows);
}

TEST_F(RowQueueTest, APieceIsBoundedByBytesAndARequestIsShared) {
  const auto pieces = [&](const RowQueueLimits& limits, uint64_t rows) {
    Make(limits);
    (void)Ask(Down(0, rows));
    std::vector<size_t> sizes;
    while (disk_.size() > 0) {
      sizes.push_back(disk_.RowsOf(0).size());
      disk_.Answer(0);
    }
    return sizes;
  };
  using Sizes = std::vector<size_t>;
  EXPECT_EQ(pieces({.pieces = 1, .piece_rows = 128, .piece_bytes = 24}, 7),
            Sizes({3, 3, 1}));
  EXPECT_EQ(pieces({.pieces = 1, .piece_rows = 128, .piece_bytes = 4}, 2),
            Sizes({1, 1}));  // a row that is larger than a piece
  EXPECT_EQ(pieces({.pieces = 2, .piece_rows = 128}, 60), Sizes({30, 30}));
  EXPECT_EQ(pieces({.pieces = 2, .piece_rows = 128}, 20), Sizes({16, 4}));
  EXPECT_EQ(pieces({.pieces = 2, .piece_rows = 128}, 300),
            Sizes({128, 128, 44}));
}

// Nobody is told before the last byte is written, and nothing more is asked.
TEST_F(RowQueueTest, AnErrorEndsARequestOnceItsPiecesAreBack) {
  Make({.pieces = 2, .piece_rows = 16});
  const auto asked = Ask(Down(0, 64));
  const auto other = Ask(Down(1000, 16));
  asked->out.reset();
  disk_.Fail(0, absl::AbortedError("cannot read row 3"));
  Run();
  EXPECT_FALSE(asked->answer.has_value());
  EXPECT_FALSE(asked->held.expired());
  ASSERT_EQ(disk_.size(), 2u);
  EXPECT_EQ(disk_.RowsOf(1).front(), 1000u);
  disk_.Answer(0);
  EXPECT_TRUE(asked->held.expired());
  Run();
  EXPECT_EQ(asked->answer, absl::AbortedError("cannot read row 3"));
  disk_.Answer(0);
  EXPECT_EQ(disk_.size(), 0u);
  Run();
  EXPECT_EQ(other->answer, absl::OkStatus());
}

TEST_F(RowQueueTest, ACancelledRequestAsksNoMore) {
  Make({.pieces = 1, .piece_rows = 16});
  const auto first = Ask(Down(0, 32));
  const auto second = Ask(Down(1000, 32));
  second->cancel.Cancel();  // not begun: over at once
  Run();
  EXPECT_TRUE(absl::IsCancelled(second->answer.value()));
  EXPECT_FALSE(disk_.IsCancelled(0));
  first->cancel.Cancel();
  EXPECT_TRUE(disk_.IsCancelled(0));
  Run();
  EXPECT_FALSE(first->answer.has_value());  // one piece is out
  disk_.AnswerAll();
  Run();
  EXPECT_TRUE(absl::IsCancelled(first->answer.value()));
  const auto third = Ask(Down(2000, 3));
  disk_.AnswerAll();
  Run();
  EXPECT_EQ(third->answer, absl::OkStatus());
  EXPECT_EQ(world_.num_pending(executor_->node()), 0u) << "a timer is left";
}

// A disk that never answers holds what it reads, and nothing else.
TEST_F(RowQueueTest, ADeadlineEndsWhatTheDiskHasNotBegun) {
  Make({.pieces = 1, .piece_rows = 16});
  const auto read = Ask(Down(0, 16), absl::Seconds(1));
  const auto waits = Ask(Down(1000, 16), absl::Seconds(2));
  RunFor(absl::Seconds(3));
  EXPECT_FALSE(read->answer.has_value());
  EXPECT_EQ(waits->answer,
            absl::DeadlineExceededError("rows of x.npy were not read in time"));
  disk_.Answer(0);
  Run();
  EXPECT_TRUE(absl::IsDeadlineExceeded(read->answer.value()));
  EXPECT_EQ(disk_.size(), 0u);
}

TEST_F(RowQueueTest, NothingIsAskedAfterStop) {
  Make({.pieces = 1, .piece_rows = 16});
  const auto out = Ask(Down(0, 32));
  const auto waits = Ask(Down(1000, 16));
  queue_->Stop();
  const auto late = Ask(Down(2000, 16));
  Run();
  EXPECT_TRUE(absl::IsCancelled(waits->answer.value()));
  EXPECT_TRUE(absl::IsCancelled(late->answer.value()));
  ASSERT_EQ(disk_.size(), 1u);
  disk_.Answer(0);
  EXPECT_EQ(disk_.size(), 0u);
  Run();
  EXPECT_TRUE(absl::IsCancelled(out->answer.value()));
}

}  // namespace
}  // namespace tributary
