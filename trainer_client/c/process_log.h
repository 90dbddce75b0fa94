// The log of a process that has the library among others.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_PROCESS_LOG_H_
#define TRIBUTARY_TRAINER_CLIENT_C_PROCESS_LOG_H_

namespace tributary {

// Leaves out lines below warnings, which are for operators of programs of ours;
// at the first call, unless tributary_set_log() has set a level. Thread-safe.
void QuietProcessLog();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_C_PROCESS_LOG_H_
