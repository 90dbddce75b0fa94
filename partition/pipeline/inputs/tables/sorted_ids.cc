#include "partition/pipeline/inputs/tables/sorted_ids.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <queue>
#include <system_error>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/tables/id_text.h"

namespace tributary {
namespace {

// Runs that are merged at a time: each is an open file and a block in memory.
constexpr size_t kMergeAtOnce = 64;
constexpr size_t kFirstSlots = 1024;  // a power of two

// One run while it is merged.
struct Run {
  explicit Run(ColumnPtr run_column)
      : column(std::move(run_column)), reader(*column) {}
  // Reads the next text; false at the end or after an error.
  bool Next() {
    absl::string_view view;
    if (!reader.Next(&view)) return false;
    text.assign(view.data(), view.size());
    return true;
  }

  const ColumnPtr column;
  IdTextReader reader;
  std::string text;
};

absl::Status Merge(const Spool& spool, absl::Span<const std::string> names,
                   absl::FunctionRef<absl::Status(absl::string_view)> use) {
  std::vector<std::unique_ptr<Run>> runs;
  const auto later = [](const Run* a, const Run* b) {
    return a->text > b->text;
  };
  std::priority_queue<Run*, std::vector<Run*>, decltype(later)> next(later);
  const auto advance = [&](Run* run) {
    if (run->Next()) next.push(run);
    return run->reader.status();
  };
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(ColumnPtr column, spool.Find(name));
    if (column == nullptr) {
      return absl::DataLossError(
          absl::StrCat(spool.folder(), "/", name, " has vanished"));
    }
    runs.push_back(std::make_unique<Run>(std::move(column)));
    RETURN_IF_ERROR(advance(runs.back().get()));
  }
  std::string last;  // no id is empty
  while (!next.empty()) {
    Run* run = next.top();
    next.pop();
    if (run->text != last) {
      RETURN_IF_ERROR(use(run->text));
      last = run->text;
    }
    RETURN_IF_ERROR(advance(run));
  }
  return absl::OkStatus();
}

// Removes a finished column. What cannot be removed goes with the folder.
void Remove(const Spool& spool, absl::string_view name) {
  std::error_code error;
  std::filesystem::remove(
      absl::StrCat(spool.folder(), "/", name, ".uint8.0.rows"), error);
}

}  // namespace

TextSet::TextSet() { Clear(); }

void TextSet::Clear() {
  bytes_.clear();
  ends_.assign(1, 0);
  slots_.assign(kFirstSlots, kNone);
}

size_t TextSet::memory() const {
  // Twice, since vectors double.
  return 2 * (bytes_.size() + ends_.size() * sizeof(uint64_t)) +
         slots_.size() * sizeof(uint32_t);
}

// Returns the slot of the text, or the empty one where it belongs.
size_t TextSet::SlotOf(absl::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = absl::HashOf(text) & mask;
  while (slots_[slot] != kNone && this->text(slots_[slot]) != text) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

uint32_t TextSet::Find(absl::string_view text) const {
  return slots_[SlotOf(text)];
}

void TextSet::Add(absl::string_view text) {
  const size_t slot = SlotOf(text);
  if (slots_[slot] != kNone) return;
  slots_[slot] = size();
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  ends_.push_back(bytes_.size());
  if (size_t{size()} * 2 > slots_.size()) Grow();
}

void TextSet::Grow() {
  slots_.assign(slots_.size() * 2, kNone);
  for (uint32_t i = 0; i < size(); ++i) slots_[SlotOf(text(i))] = i;
}

SortedIds::SortedIds(const Spool& spool, std::string name, size_t memory)
    : spool_(spool), name_(std::move(name)), memory_(memory) {}

absl::Status SortedIds::Add(absl::string_view text) {
  texts_.Add(text);
  // The order of a run's texts takes 4 bytes each.
  constexpr uint32_t kMost = uint32_t{1} << 31;
  const size_t order = size_t{texts_.size()} * sizeof(uint32_t);
  if (texts_.memory() + order < memory_ && texts_.size() < kMost - 1) {
    return absl::OkStatus();
  }
  return WriteRun();
}

std::vector<uint32_t> SortedIds::Order() const {
  std::vector<uint32_t> order(texts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return texts_.text(a) < texts_.text(b);
  });
  return order;
}

absl::Status SortedIds::WriteRun() {
  const std::string name = absl::StrCat(name_, ".run", num_runs_++);
  ASSIGN_OR_RETURN(SpoolWriter writer, spool_.Create(name, {DType::kUint8, 0}));
  for (uint32_t number : Order()) {
    RETURN_IF_ERROR(AppendIdText(texts_.text(number), writer));
  }
  RETURN_IF_ERROR(writer.Finish().status());
  runs_.push_back(name);
  texts_.Clear();
  return absl::OkStatus();
}

absl::Status SortedIds::ForEach(
    absl::FunctionRef<absl::Status(absl::string_view)> use) {
  if (runs_.empty()) {
    for (uint32_t number : Order()) {
      RETURN_IF_ERROR(use(texts_.text(number)));
    }
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(WriteRun());
  while (runs_.size() > kMergeAtOnce) {
    const auto group = absl::MakeSpan(runs_).first(kMergeAtOnce);
    const std::string name = absl::StrCat(name_, ".run", num_runs_++);
    ASSIGN_OR_RETURN(SpoolWriter writer,
                     spool_.Create(name, {DType::kUint8, 0}));
    RETURN_IF_ERROR(Merge(spool_, group, [&](absl::string_view text) {
      return AppendIdText(text, writer);
    }));
    RETURN_IF_ERROR(writer.Finish().status());
    for (const std::string& merged : group) Remove(spool_, merged);
    runs_.erase(runs_.begin(), runs_.begin() + kMergeAtOnce);
    runs_.push_back(name);
  }
  RETURN_IF_ERROR(Merge(spool_, runs_, use));
  for (const std::string& name : runs_) Remove(spool_, name);
  return absl::OkStatus();
}

}  // namespace tributary
