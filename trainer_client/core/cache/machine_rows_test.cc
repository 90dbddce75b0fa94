// Processes that share held rows: as objects of one process, as processes that
// are killed, and beside others that do not keep to it.
#include "trainer_client/core/cache/machine_rows.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/runtime/mutex.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

constexpr absl::Duration kDeadline = absl::Seconds(30);
constexpr uint32_t kRowsPerPiece = 10, kMostRows = 35;
constexpr size_t kRecord = 8 + 16;

std::vector<HeldRows::Type> Types() {
  return {{"other", {}, 1, 0}, {"node", {.x = 8}, kRowsPerPiece, kMostRows}};
}

bool Await(const std::function<bool()>& condition) {
  const absl::Time end = absl::Now() + kDeadline;
  while (!condition()) {
    if (absl::Now() > end) return false;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return true;
}

// Names that are bound or connected in this network namespace.
int SocketsOf(const std::string& identity) {
  std::ifstream file("/proc/net/unix");
  int found = 0;
  for (std::string line; std::getline(file, line);) {
    found += line.find(MachineRows::NameOf(identity)) != line.npos ? 1 : 0;
  }
  return found;
}

// A socket of the name: bound, or connected.
class RawSocket {
 public:
  explicit RawSocket(const std::string& identity, bool binds) {
    const std::string name = MachineRows::NameOf(identity);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) +
                                             1 + name.size());
    socket_ = UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const auto* at = reinterpret_cast<const sockaddr*>(&address);
    ok_ = binds ? bind(socket_.get(), at, size) == 0 &&
                      listen(socket_.get(), 8) == 0
                : connect(socket_.get(), at, size) == 0;
  }
  bool ok() const { return ok_; }
  int fd() const { return socket_.get(); }
  UniqueFd Accept() {
    return UniqueFd(accept(socket_.get(), nullptr, nullptr));
  }

 private:
  UniqueFd socket_;
  bool ok_ = false;
};

// One that takes part.
class Trainer {
 public:
  explicit Trainer(const std::string& identity)
      : rows_(std::make_shared<HeldRows>(Sha256Digest{}, Types())) {
    auto machine = MachineRows::Start(identity);
    EXPECT_TRUE(machine.ok()) << machine.status();
    machine_ = *std::move(machine);
    rows_->SetOnDrop([this](int, uint32_t) { ++drops_; });
  }

  // Returns what it is told, once that comes.
  std::optional<MachineRows::Joined> Join(std::optional<double> share) {
    std::atomic<bool> answered = false;
    std::optional<MachineRows::Joined> joined;
    machine_->Join(share, [&](std::optional<MachineRows::Joined> answer) {
      joined = answer;
      answered = true;
    });
    EXPECT_TRUE(Await([&] { return answered.load(); }));
    return joined;
  }
  void JoinAndAttach(double share = 0.5) {
    const auto joined = Join(share);
    ASSERT_TRUE(joined.has_value() && joined->shared);
    machine_->Attach(rows_, Types());
  }
  // Adds the next piece, whose bytes are `value`, as one that leads does.
  void AddPiece(uint8_t value) {
    const uint32_t first = num_rows();
    const uint32_t rows = std::min(kRowsPerPiece, kMostRows - first);
    auto memory =
        SharedMemory::Create(rows * kRecord, {.freezable = true}).value();
    std::memset(memory->bytes().data(), value, rows * kRecord);
    ASSERT_TRUE(memory->Freeze().ok());
    ASSERT_TRUE(
        rows_->AddPiece(1, first, {memory->bytes().data(), memory}, rows));
    machine_->Offer(1, first, rows, memory);
  }
  // The first byte of each piece.
  std::vector<int> values() const {
    std::vector<int> values;
    const auto view = rows_->view();
    for (const HeldPiece& piece : view->types[1].pieces) {
      values.push_back(piece.records[0]);
    }
    return values;
  }
  uint32_t num_rows() const { return rows_->view()->types[1].num_rows; }
  // As the fetcher does when a row was found to be damaged.
  void Drop(uint32_t rank) {
    rows_->Drop(1, rank);
    machine_->Drop(1, num_rows());
  }
  bool AwaitValues(const std::vector<int>& wanted) const {
    return Await([&] { return values() == wanted; });
  }
  MachineRows& machine() { return *machine_; }
  int drops() const { return drops_; }

 private:
  std::atomic<int> drops_ = 0;
  const std::shared_ptr<HeldRows> rows_;
  std::unique_ptr<MachineRows> machine_;
};

class MachineRowsTest : public testing::Test {
 protected:
  MachineRowsTest()
      : identity_(absl::StrCat(
            getpid(), " ",
            testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~MachineRowsTest() override { EXPECT_EQ(SocketsOf(identity_), 0); }

  const std::string identity_;
};

TEST_F(MachineRowsTest, OneLeadsAndOthersGetItsPieces) {
  Trainer leader(identity_), early(identity_), late(identity_);
  leader.JoinAndAttach(0.5);
  EXPECT_TRUE(leader.machine().Leads());
  leader.AddPiece(1);
  const auto joined = early.Join(0.7);
  ASSERT_TRUE(joined.has_value() && joined->shared);
  EXPECT_EQ(joined->share, 0.5);  // the leader's
  EXPECT_FALSE(early.machine().Leads());
  early.JoinAndAttach();
  leader.AddPiece(2);
  EXPECT_TRUE(early.AwaitValues({1, 2}));
  leader.AddPiece(3);
  leader.AddPiece(4);  // of five rows
  EXPECT_TRUE(early.AwaitValues({1, 2, 3, 4}));
  EXPECT_EQ(early.num_rows(), kMostRows);
  late.JoinAndAttach();
  EXPECT_TRUE(late.AwaitValues({1, 2, 3, 4}));
}

TEST_F(MachineRowsTest, OthersHaveOtherNames) {
  Trainer one(identity_), other(identity_ + "x");
  one.JoinAndAttach();
  other.JoinAndAttach();
  EXPECT_TRUE(one.machine().Leads());
  EXPECT_TRUE(other.machine().Leads());
}

TEST_F(MachineRowsTest, WithoutAShareNobodyLeads) {
  Trainer one(identity_), other(identity_);
  EXPECT_FALSE(one.Join(std::nullopt).has_value());
  EXPECT_FALSE(other.Join(std::nullopt).has_value());
  EXPECT_EQ(one.Join(0.25)->share, 0.25);
  EXPECT_EQ(other.Join(std::nullopt)->share, 0.25);
  EXPECT_TRUE(one.machine().Leads());
}

TEST_F(MachineRowsTest, AnotherOneLeadsWithWhatItHas) {
  auto leader = std::make_unique<Trainer>(identity_);
  Trainer heir(identity_), third(identity_);
  leader->JoinAndAttach();
  leader->AddPiece(1);
  leader->AddPiece(2);
  heir.JoinAndAttach();
  ASSERT_TRUE(heir.AwaitValues({1, 2}));
  EXPECT_FALSE(heir.machine().Leads());
  leader.reset();
  EXPECT_EQ(heir.values(), (std::vector<int>{1, 2}));  // still mapped
  ASSERT_TRUE(Await([&] { return heir.machine().Leads(); }));
  heir.AddPiece(3);
  third.JoinAndAttach();
  EXPECT_FALSE(third.machine().Leads());
  EXPECT_TRUE(third.AwaitValues({1, 2, 3}));
}

TEST_F(MachineRowsTest, WhoResignsFollows) {
  Trainer one(identity_), other(identity_);
  one.JoinAndAttach();
  other.JoinAndAttach();
  one.AddPiece(1);
  ASSERT_TRUE(other.AwaitValues({1}));
  one.machine().Resign();
  ASSERT_TRUE(Await([&] { return other.machine().Leads(); }));
  other.AddPiece(2);
  EXPECT_TRUE(one.AwaitValues({1, 2}));
}

TEST_F(MachineRowsTest, ADamagedPieceIsReplaced) {
  Trainer leader(identity_), one(identity_), other(identity_);
  for (Trainer* trainer : {&leader, &one, &other}) trainer->JoinAndAttach();
  for (const uint8_t value : {1, 2, 3}) leader.AddPiece(value);
  for (Trainer* trainer : {&one, &other}) {
    ASSERT_TRUE(trainer->AwaitValues({1, 2, 3}));
  }
  one.Drop(15);
  EXPECT_EQ(one.values(), (std::vector<int>{1}));
  // The leader drops it, too, and is told to fetch it again.
  ASSERT_TRUE(leader.AwaitValues({1}));
  EXPECT_TRUE(Await([&] { return leader.drops() == 1; }));
  leader.AddPiece(5);
  leader.AddPiece(6);
  EXPECT_TRUE(one.AwaitValues({1, 5, 6}));
  // Who has not seen damage has what it had; what it drops is there already.
  EXPECT_EQ(other.values(), (std::vector<int>{1, 2, 3}));
  other.Drop(15);
  EXPECT_TRUE(other.AwaitValues({1, 5, 6}));
  EXPECT_EQ(leader.drops(), 1);
  EXPECT_EQ(leader.values(), (std::vector<int>{1, 5, 6}));
}

TEST_F(MachineRowsTest, AFollowerThatTalksNonsenseIsClosed) {
  Trainer leader(identity_), honest(identity_);
  leader.JoinAndAttach();
  honest.JoinAndAttach();
  for (const std::string& words :
       {std::string("x"), std::string(40, 'x'), std::string(4000, 'x')}) {
    RawSocket raw(identity_, /*binds=*/false);
    ASSERT_TRUE(raw.ok());
    char hello[64];
    EXPECT_EQ(recv(raw.fd(), hello, sizeof(hello), 0), 40);
    EXPECT_EQ(send(raw.fd(), words.data(), words.size(), 0),
              static_cast<ssize_t>(words.size()));
    EXPECT_LE(recv(raw.fd(), hello, sizeof(hello), 0), 0);
  }
  leader.AddPiece(1);
  EXPECT_TRUE(honest.AwaitValues({1}));
  EXPECT_EQ(leader.drops(), 0);
}

// What it sends is not believed; each process fetches its own rows then.
TEST_F(MachineRowsTest, ALeaderOfAnotherVersionIsLeft) {
  RawSocket raw(identity_, /*binds=*/true);
  ASSERT_TRUE(raw.ok());
  Trainer trainer(identity_);
  std::thread answers([&] {
    const UniqueFd peer = raw.Accept();
    const std::string words(40, 'x');
    EXPECT_EQ(send(peer.get(), words.data(), words.size(), 0), 40);
    char end;
    EXPECT_LE(recv(peer.get(), &end, 1, 0), 0);
  });
  const auto joined = trainer.Join(0.5);
  answers.join();
  ASSERT_TRUE(joined.has_value());
  EXPECT_FALSE(joined->shared);
  EXPECT_TRUE(trainer.machine().Leads());
}

TEST_F(MachineRowsTest, ASilentLeaderIsLeft) {
  RawSocket raw(identity_, /*binds=*/true);
  ASSERT_TRUE(raw.ok());
  Trainer trainer(identity_);
  const auto joined = trainer.Join(std::nullopt);
  ASSERT_TRUE(joined.has_value());
  EXPECT_FALSE(joined->shared);
}

// Runs `act` in a child of another user; returns its exit code.
int AsAnotherUser(const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) _exit(setuid(65534) == 0 ? act() : 100);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(MachineRowsTest, AnotherUserGetsNothing) {
  constexpr int kNotAnother = 100;
  if (AsAnotherUser([] { return 0; }) == kNotAnother) {
    GTEST_SKIP() << "only root, outside a user namespace, can be another user";
  }
  Trainer leader(identity_);
  leader.JoinAndAttach();
  leader.AddPiece(1);
  const std::string name = MachineRows::NameOf(identity_);
  EXPECT_EQ(
      AsAnotherUser([&] {
        const UniqueFd raw(socket(AF_UNIX, SOCK_SEQPACKET, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path + 1, name.data(), name.size());
        const auto size = static_cast<socklen_t>(
            offsetof(sockaddr_un, sun_path) + 1 + name.size());
        if (connect(raw.get(), reinterpret_cast<const sockaddr*>(&address),
                    size) != 0) {
          return 1;
        }
        char hello;
        return recv(raw.get(), &hello, 1, 0) <= 0 ? 0 : 2;
      }),
      0);
}

TEST_F(MachineRowsTest, KilledProcessesLeaveNothing) {
  Trainer last(identity_);
  for (int round = 0; round < 100; ++round) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      Trainer trainer(identity_);
      const auto joined = trainer.Join(0.5);
      trainer.machine().Attach({}, Types());
      const char told = joined.has_value() && joined->shared ? 'y' : 'n';
      if (write(ready[1], &told, 1) != 1) _exit(1);
      while (true) pause();
    }
    char told = 0;
    EXPECT_EQ(read(ready[0], &told, 1), 1);
    EXPECT_EQ(told, 'y');
    kill(child, SIGKILL);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    close(ready[0]);
    close(ready[1]);
  }
  EXPECT_EQ(SocketsOf(identity_), 0);
  last.JoinAndAttach();
  EXPECT_TRUE(last.machine().Leads());
}

}  // namespace
}  // namespace tributary
