// The state of one grant of a trainer, from its credit until the server holds
// nothing for it.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_GRANT_STATE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_GRANT_STATE_H_

namespace tributary {

// A pure state machine. Two things go on independently: which answer the
// trainer has had (`Reply`), and what the server still holds for the grant: its
// task, and a batch of which frames are left to send. Each grant is answered
// once (a batch, Needs or BatchError); a Cancel is answered by Returned, even
// after that. Returned says that the trainer's room is no longer written to, so
// it waits for the end of the task.
//
//                Answer
//     kPending ---------> kAnswered --- Cancel ---> kReturned
//         |                                             ^
//         +--- Cancel ---> kCancelled --- EndTask ------+
//
// Not thread-safe.
class GrantState {
 public:
  // The trainer no longer wants the batch. `withdrawn`: the credit was taken
  // back from the admission queue, so that it never has a task. Returns whether
  // Returned is to be sent now; else EndTask asks for it. Requires
  // !cancelled().
  bool Cancel(bool withdrawn) {
    if (withdrawn) has_task_ = false;
    const bool return_now = reply_ == Reply::kAnswered || !has_task_;
    reply_ = return_now ? Reply::kReturned : Reply::kCancelled;
    return return_now;
  }

  // The task has a result. Returns whether to send it: not once the grant has
  // been cancelled.
  bool Answer() {
    if (cancelled()) return false;
    reply_ = Reply::kAnswered;
    return true;
  }

  // The batch is handed over as frames, until the network has released them
  // all.
  void BeginSending() { sending_ = true; }
  void EndSending() { sending_ = false; }

  // A message that the end of a task leaves to be sent.
  enum class Owed { kNothing, kReturned, kError };

  // The task is over and writes no more. Returns the answer that the trainer
  // still waits for: kReturned after a Cancel, kError when the task gave none.
  Owed EndTask() {
    has_task_ = false;
    if (reply_ == Reply::kCancelled) {
      reply_ = Reply::kReturned;
      return Owed::kReturned;
    }
    if (reply_ == Reply::kPending) {
      reply_ = Reply::kAnswered;
      return Owed::kError;
    }
    return Owed::kNothing;
  }

  bool cancelled() const {
    return reply_ == Reply::kCancelled || reply_ == Reply::kReturned;
  }
  bool sending() const { return sending_; }
  // Whether Progress names the grant: the trainer waits for an answer, for
  // frames, or for Returned (until then its room is not its own again).
  bool pending() const {
    return reply_ == Reply::kPending || reply_ == Reply::kCancelled ||
           (reply_ == Reply::kAnswered && sending_);
  }
  // Whether the server holds nothing more for the grant.
  bool over() const { return !has_task_ && !sending_; }

 private:
  enum class Reply { kPending, kAnswered, kCancelled, kReturned };

  Reply reply_ = Reply::kPending;
  bool has_task_ = true;  // queued or running
  bool sending_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_GRANT_STATE_H_
