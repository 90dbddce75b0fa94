// Runs a test's own program again as `tributary-train` over a small graph in
// memory.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_TRAIN_PROGRAM_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_TRAIN_PROGRAM_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace tributary {

// Is `tributary-train`; the test's main() calls it if argv[1] is --graph. The
// graph's name says what goes wrong in epoch 1 (the second): nothing ("good");
// the batches of rank 0 are an error ("fail"), never come ("hang"), nor does
// its second or third one ("hang-inside", batch 2), or rank 1 aborts ("abort").
// "fail-slowly": the process of rank 0 stays after that until no other rank of
// its machine is left. "nan": the features of a node are, so a loss is not
// finite. "unlabelled": no node of the split valid has a label. With "-first"
// appended only in the first attempt. "missing" is no graph, and "who" an error
// that names the client.
int RunTrainProgram(int argc, char** argv);

// What a program has printed (stdout and stderr) and returned.
struct Ended {
  int exit_code = -1;  // -1: ended by a signal
  std::string text;

  bool Has(const std::string& part) const {
    return text.find(part) != std::string::npos;
  }
};

// A process that runs this program with other arguments. The destructor kills
// it. Used by one thread.
class TrainProgram {
 public:
  explicit TrainProgram(std::vector<std::string> words);
  ~TrainProgram();
  TrainProgram(const TrainProgram&) = delete;
  TrainProgram& operator=(const TrainProgram&) = delete;

  // Reads until the program has printed `text`. False when it ends before, or
  // 60 s pass without any output.
  bool ReadUntil(const std::string& text);
  // Waits for the end of every process that has the program's stdout: its ranks
  // included.
  Ended Wait();
  const std::string& text() const { return ended_.text; }

  void Signal(int signal);
  // Returns the process of a rank that the program has started; nullopt if
  // there is none.
  std::optional<pid_t> PidOfRank(int rank) const;

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  Ended ended_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_TRAIN_PROGRAM_H_
