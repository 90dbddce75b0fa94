#include "channel/shm/lent_rooms.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace tributary {
namespace {

constexpr size_t kMemory = size_t{1} << 16;

class Room final : public SharedRoom {
 public:
  explicit Room(absl::Span<uint8_t> bytes) : bytes_(bytes) {}
  absl::Span<uint8_t> bytes() override { return bytes_; }

 private:
  const absl::Span<uint8_t> bytes_;
};

class LentRoomsTest : public ::testing::Test {
 protected:
  std::shared_ptr<SharedMemory> AddMemory() {
    std::shared_ptr<SharedMemory> memory =
        SharedMemory::Create(kMemory).value();
    memories_->Add(memory);
    return memory;
  }
  static std::shared_ptr<Room> MakeRoom(const SharedMemory& memory,
                                        size_t offset, size_t bytes) {
    return std::make_shared<Room>(memory.bytes().subspan(offset, bytes));
  }

  const std::shared_ptr<SharedMemories> memories_ =
      std::make_shared<SharedMemories>();
  LentRooms rooms_{memories_};
};

TEST_F(LentRoomsTest, DescribesTheRoomAndSendsItsMemoryOnce) {
  const auto memory = AddMemory();
  Record first, second;
  EXPECT_EQ(rooms_.Lend(MakeRoom(*memory, 4096, 8192), &first), memory->fd());
  EXPECT_EQ(first.room, 1u);
  EXPECT_EQ(first.memory, 0u);
  EXPECT_EQ(first.offset, 4096u);
  EXPECT_EQ(first.bytes, 8192u);
  EXPECT_EQ(first.has_fd, 1u);
  EXPECT_EQ(rooms_.Lend(MakeRoom(*memory, 0, 64), &second), -1);
  EXPECT_EQ(second.room, 2u);
  EXPECT_EQ(second.memory, 0u);
  EXPECT_EQ(second.offset, 0u);
  EXPECT_EQ(second.bytes, 64u);
  EXPECT_EQ(second.has_fd, 0u);
  EXPECT_EQ(rooms_.size(), 2u);
}

TEST_F(LentRoomsTest, NumbersMemoriesAsTheyAreSent) {
  AddMemory();
  const auto later = AddMemory(), first = AddMemory();
  Record record;
  EXPECT_EQ(rooms_.Lend(MakeRoom(*first, 0, 64), &record), first->fd());
  EXPECT_EQ(record.memory, 0u);
  EXPECT_EQ(rooms_.Lend(MakeRoom(*later, 0, 64), &record), later->fd());
  EXPECT_EQ(record.memory, 1u);
  Record again;
  EXPECT_EQ(rooms_.Lend(MakeRoom(*first, 64, 64), &again), -1);
  EXPECT_EQ(again.memory, 0u);
}

TEST_F(LentRoomsTest, LendsNothingOutsideSharedMemory) {
  uint8_t own[64] = {};
  Record record;
  EXPECT_EQ(rooms_.Lend(nullptr, &record), -1);
  EXPECT_EQ(rooms_.Lend(std::make_shared<Room>(absl::MakeSpan(own)), &record),
            -1);
  LentRooms without_memories(nullptr);
  const auto memory = AddMemory();
  EXPECT_EQ(without_memories.Lend(MakeRoom(*memory, 0, 64), &record), -1);
  EXPECT_EQ(record.room, 0u);
  EXPECT_EQ(record.has_fd, 0u);
  EXPECT_EQ(rooms_.size(), 0u);
}

TEST_F(LentRoomsTest, SendsNoMoreThanSixteenMemories) {
  std::vector<std::shared_ptr<SharedMemory>> memories;
  for (uint32_t i = 0; i < kMaxMemories; ++i) {
    memories.push_back(AddMemory());
    Record record;
    EXPECT_EQ(rooms_.Lend(MakeRoom(*memories[i], 0, 64), &record),
              memories[i]->fd());
    EXPECT_EQ(record.memory, i);
  }
  const auto one_more = AddMemory();
  Record refused, known;
  EXPECT_EQ(rooms_.Lend(MakeRoom(*one_more, 0, 64), &refused), -1);
  EXPECT_EQ(refused.room, 0u);
  EXPECT_EQ(rooms_.size(), size_t{kMaxMemories});
  EXPECT_EQ(rooms_.Lend(MakeRoom(*memories[15], 64, 64), &known), -1);
  EXPECT_EQ(known.room, kMaxMemories + 1u) << "known ones are lent as before";
  EXPECT_EQ(known.memory, 15u);
}

TEST_F(LentRoomsTest, KeepsARoomUntilItIsTakenBack) {
  const auto memory = AddMemory();
  auto room = MakeRoom(*memory, 0, 64);
  const std::weak_ptr<SharedRoom> watched = room;
  Record record;
  rooms_.Lend(room, &record);
  room.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(rooms_.TakeBack(2).status().code(), absl::StatusCode::kDataLoss);
  auto returned = rooms_.TakeBack(1);
  ASSERT_TRUE(returned.ok());
  EXPECT_EQ(returned->get(), watched.lock().get());
  EXPECT_EQ(rooms_.size(), 0u);
  EXPECT_EQ(rooms_.TakeBack(1).status().code(), absl::StatusCode::kDataLoss)
      << "twice";
  returned->reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(LentRoomsTest, TakesAllBack) {
  const auto memory = AddMemory();
  const auto a = MakeRoom(*memory, 0, 64), b = MakeRoom(*memory, 64, 64);
  Record record;
  rooms_.Lend(a, &record);
  rooms_.Lend(b, &record);
  EXPECT_EQ(rooms_.TakeBackAll(),
            (std::vector<std::shared_ptr<SharedRoom>>{a, b}));
  EXPECT_EQ(rooms_.size(), 0u);
  EXPECT_FALSE(rooms_.TakeBack(1).ok());
  rooms_.Lend(a, &record);
  EXPECT_EQ(record.room, 3u) << "numbers are not used again";
}

}  // namespace
}  // namespace tributary
