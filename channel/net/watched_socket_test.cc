#include "channel/net/watched_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "channel/net/socket_pair.h"
#include "channel/testing/recording_stream.h"
#include "common/runtime/mutex.h"

namespace tributary {
namespace {

// Counts its calls; reads what has come, so that the loop reports it once.
class CountingWatcher final : public SocketWatcher {
 public:
  CountingWatcher(int fd, conformance::Log* log) : fd_(fd), log_(log) {}
  void OnReadable() override {
    char byte = 0;
    const ssize_t n = recv(fd_, &byte, 1, MSG_DONTWAIT);
    {
      MutexLock lock(mutex_);
      if (n > 0) ++bytes_read_;
    }
    log_->Changed();
  }
  void OnWritable() override {
    {
      MutexLock lock(mutex_);
      ++writable_;
    }
    log_->Changed();
  }
  int bytes_read() {
    MutexLock lock(mutex_);
    return bytes_read_;
  }
  int writable() {
    MutexLock lock(mutex_);
    return writable_;
  }

 private:
  const int fd_;
  conformance::Log* const log_;
  Mutex mutex_;
  int bytes_read_ ABSL_GUARDED_BY(mutex_) = 0;
  int writable_ ABSL_GUARDED_BY(mutex_) = 0;
};

class WatchedSocketTest : public ::testing::Test {
 protected:
  WatchedSocketTest() {
    SocketPair pair = MakeSocketPair(SOCK_STREAM).value();
    watcher_ = std::make_shared<CountingWatcher>(pair.first.get(), &log_);
    socket_ =
        std::make_unique<WatchedSocket>(std::move(pair.first), loop_.get());
    far_ = std::move(pair.second);
  }
  ~WatchedSocketTest() override {
    socket_->Unwatch();
    loop_.reset();
  }

  // Returns once the loop has handled all that was posted before.
  void DrainLoop() {
    conformance::Log log;
    bool done = false;
    Mutex mutex;
    loop_->Post([&] {
      {
        MutexLock lock(mutex);
        done = true;
      }
      log.Changed();
    });
    EXPECT_TRUE(log.WaitUntil([&] {
      MutexLock lock(mutex);
      return done;
    }));
  }

  conformance::Log log_;
  std::unique_ptr<SocketLoop> loop_ = SocketLoop::Start("test").value();
  std::shared_ptr<CountingWatcher> watcher_;
  std::unique_ptr<WatchedSocket> socket_;
  UniqueFd far_;
};

TEST_F(WatchedSocketTest, ReportsEventsFromWatchToUnwatch) {
  ASSERT_EQ(send(far_.get(), "a", 1, 0), 1);
  EXPECT_TRUE(socket_->Watch(watcher_));
  EXPECT_TRUE(log_.WaitUntil([&] { return watcher_->bytes_read() == 1; }));
  EXPECT_EQ(watcher_->writable(), 0) << "not wanted";
  socket_->Unwatch();
  DrainLoop();
  EXPECT_EQ(watcher_.use_count(), 1) << "the loop holds it no longer";
}

TEST_F(WatchedSocketTest, WantsWritableBeforeItIsWatched) {
  socket_->WantWritable(true);
  EXPECT_TRUE(socket_->Watch(watcher_));
  EXPECT_TRUE(log_.WaitUntil([&] { return watcher_->writable() > 0; }));
}

TEST_F(WatchedSocketTest, WantsWritableWhileItIsWatched) {
  EXPECT_TRUE(socket_->Watch(watcher_));
  socket_->WantWritable(true);
  EXPECT_TRUE(log_.WaitUntil([&] { return watcher_->writable() > 0; }));
  socket_->WantWritable(false);
  DrainLoop();
  const int before = watcher_->writable();
  ASSERT_EQ(send(far_.get(), "a", 1, 0), 1);
  EXPECT_TRUE(log_.WaitUntil([&] { return watcher_->bytes_read() == 1; }));
  EXPECT_EQ(watcher_->writable(), before);
}

TEST_F(WatchedSocketTest, ClosesOnlyWhatIsNotWatched) {
  EXPECT_TRUE(socket_->Watch(watcher_));
  const int fd = socket_->fd();
  socket_->CloseUnlessWatched();
  EXPECT_EQ(socket_->fd(), fd);
  socket_->Unwatch();
  socket_->CloseUnlessWatched();
  EXPECT_EQ(socket_->fd(), -1);
  char byte = 0;
  EXPECT_EQ(recv(far_.get(), &byte, 1, 0), 0) << "the end";
  EXPECT_TRUE(socket_->Watch(watcher_)) << "there is nothing to watch";
  EXPECT_EQ(watcher_.use_count(), 1);
}

TEST_F(WatchedSocketTest, ShutDownWritingEndsOneDirection) {
  ASSERT_EQ(send(socket_->fd(), "a", 1, 0), 1);
  socket_->ShutDownWriting();
  char bytes[2];
  EXPECT_EQ(recv(far_.get(), bytes, 2, 0), 1);
  EXPECT_EQ(recv(far_.get(), bytes, 2, 0), 0);
  EXPECT_EQ(send(far_.get(), "b", 1, 0), 1);
  EXPECT_EQ(recv(socket_->fd(), bytes, 2, 0), 1) << "the other one is open";
}

TEST_F(WatchedSocketTest, DoesNothingWithTheLoopOnceDetached) {
  socket_->DetachFromLoop();
  EXPECT_TRUE(socket_->Watch(watcher_));
  EXPECT_EQ(watcher_.use_count(), 1);
  bool run = false;
  EXPECT_FALSE(socket_->Post([&run] { run = true; }));
  EXPECT_FALSE(
      socket_->PostAfter(absl::ZeroDuration(), [&run] { run = true; }));
  DrainLoop();
  EXPECT_FALSE(run);
}

TEST_F(WatchedSocketTest, PostsToTheLoop) {
  auto run = std::make_shared<int>(0);
  Mutex mutex;
  const auto add = [&, run] {
    {
      MutexLock lock(mutex);
      ++*run;
    }
    log_.Changed();
  };
  EXPECT_TRUE(socket_->Post(add));
  EXPECT_TRUE(socket_->PostAfter(absl::ZeroDuration(), add));
  EXPECT_TRUE(log_.WaitUntil([&] {
    MutexLock lock(mutex);
    return *run == 2;
  }));
  loop_.reset();
  loop_ = SocketLoop::Start("test").value();
  socket_->DetachFromLoop();
}

}  // namespace
}  // namespace tributary
