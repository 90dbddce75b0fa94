// Counts how much of a user's input has been read.
#ifndef TRIBUTARY_PARTITION_SOURCE_INPUT_PROGRESS_H_
#define TRIBUTARY_PARTITION_SOURCE_INPUT_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tributary {

// The progress of one stage after another, such as reading files. A stage
// consists of parts, such as files, whose sizes are added before they are
// processed. What is reported never decreases and never exceeds the total of
// the stage. Not thread-safe.
//
//   InputProgress progress(report);
//   progress.Begin("reads the input");
//   progress.Expect("edges.csv", 4096);
//   progress.Advance("edges.csv", 1024);  // reports 1024 of 4096
//   progress.Finish();                    // reports 4096 of 4096
class InputProgress {
 public:
  // Is called with bytes, 0 <= done <= total.
  using Report =
      std::function<void(std::string_view stage, int64_t done, int64_t total)>;
  // `done` of a part that is not processed again.
  static constexpr int64_t kAll = INT64_MAX;

  explicit InputProgress(Report report) : report_(std::move(report)) {}

  // Finishes the current stage and begins another one, without parts.
  void Begin(std::string stage);
  // Adds a part of `size` bytes to the current stage; one that is known
  // already is not added again.
  void Expect(const std::string& part, int64_t size);
  // Says that the first `done` bytes of a part are processed. Has no effect for
  // a part that is not expected, and if as much was processed before.
  void Advance(const std::string& part, int64_t done);
  // Reports that the current stage is complete, unless it has no parts.
  void Finish();

 private:
  struct Part {
    int64_t size = 0;
    int64_t done = 0;
  };
  void ReportAtLeast(int64_t done);

  const Report report_;
  std::string stage_;
  std::map<std::string, Part> parts_;
  int64_t done_ = 0;
  int64_t total_ = 0;
  double share_ = 0;  // the most that was reported, of 1
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_INPUT_PROGRESS_H_
