/* A worker: its ends of the streams and its tasks. */

#define LIVES(c) (worker_is[WORKER_OF(c)] == ALIVE && worker_end[c].present)
#define T(c, g) worker_end[c].task[g]

/* Without the fault a worker that has closed takes no room, deaf or not. */
#ifdef FAULT_COUNT_LATE
#define SetDeaf(c, value) worker_end[c].deaf = value
#define IS_MAPPING(c) (T(c, 0).state == MAPPING || T(c, 1).state == MAPPING)
#else
#define SetDeaf(c, value)
#define IS_MAPPING(c) false
#endif

/* The socket's way out: ShmStream::ShutIfDone. From here on the trainer has its
 * rooms back. */
inline ShutIfDone(c) {
  if
#ifdef FAULT_CLOSE_WHILE_HELD
  :: worker_end[c].closed -> up_shut[c] = 1
#else
  :: worker_end[c].closed && worker_end[c].rooms_held == 0 -> up_shut[c] = 1
#endif
  :: else
  fi
}

/* ShmStream::Unwatch: closes the socket, or RoomReleased does. */
inline ResetIfOver(c) {
  if
  :: !worker_end[c].watched && worker_end[c].rooms_held == 0 ->
     worker_end[c].present = 0;
     worker_end[c].closed = 0;
     SetDeaf(c, 0);
     up_shut[c] = 1;
     Drain(down[c])
  :: else
  fi
}

/* ShmStream::HandleMessage, TrainerStream::OnCredit. A room that comes after
 * the worker's end has closed is not taken: the trainer may have it back. */
inline TakeCredit(c, g, r) {
  if
#ifdef FAULT_COUNT_LATE
  :: !worker_end[c].deaf -> T(c, g).state = MAPPING; T(c, g).room = r
#else
  :: !worker_end[c].closed ->
     worker_end[c].rooms_held++;
     T(c, g).state = MAY_WRITE;
     T(c, g).room = r
#endif
  :: else
  fi
}

/* TrainerStream::OnCancel. */
inline TakeCancel(c, g) {
  if
  :: worker_end[c].closed
  :: !worker_end[c].closed && T(c, g).state == MAY_WRITE ->
     T(c, g).cancelled = 1
  :: else -> ToTrainer(c, RETURNED, g)
  fi
}

/* MappedRoom's end, when the task and its answer have let go of it, and
 * ShmStream::RoomReleased. */
inline LetGo(c, g) {
  worker_end[c].rooms_held--;
  if
  :: !worker_end[c].closed -> ToTrainer(c, RELEASED, g)
  :: else ->
#ifndef FAULT_NEVER_SHUT
     ShutIfDone(c);
     ResetIfOver(c)
#endif
  fi;
  T(c, g).state = NO_TASK;
  T(c, g).cancelled = 0;
  T(c, g).answered = 0;
  T(c, g).room = 0
}

/* What all this is about: nobody writes into a slot that was not granted to
 * him, or that is read. */
inline Write(c, g) {
  assert(slot[T(c, g).room] == GRANTED &&
         G(c, g).lent && G(c, g).room == T(c, g).room)
}

/* A record has come: the worker's ShmStream::Handle. What DropQueue drops then
 * nobody would hear. */
inline ReadByWorker(c) {
  down[c] ? kind, number, room;
  if
  :: kind == CREDIT -> TakeCredit(c, number, room)
  :: kind == CANCEL -> TakeCancel(c, number)
  :: kind == CLOSE ->
     worker_end[c].closed = 1;
     SetDeaf(c, 1);
     ShutIfDone(c)
  fi
}

/* What happens to one stream of a worker. */
proctype WorkerStream(byte c) {
end:
  do
  :: d_step {
       LIVES(c) && worker_end[c].watched && nempty(down[c]) && !IS_MAPPING(c) ->
       ReadByWorker(c)
     }
  :: d_step { /* ShmStream::EndOfSocket */
       LIVES(c) && worker_end[c].watched && empty(down[c]) && down_shut[c] ->
       worker_end[c].closed = 1;
       SetDeaf(c, 1);
       worker_end[c].watched = 0;
       ResetIfOver(c)
     }
  :: atomic { /* ShmStream::Close, or a Send over its limits */
       LIVES(c) && !worker_end[c].closed && closes > 0 ->
       closes--;
       CutTail(up[c]);
       d_step {
         ToTrainer(c, CLOSE, 0);
         worker_end[c].closed = 1;
         ShutIfDone(c)
       }
     }
#ifdef FAULT_COUNT_LATE
  :: d_step { /* TellClosed */
       LIVES(c) && worker_end[c].closed && !worker_end[c].deaf ->
       SetDeaf(c, 1)
     }
#endif
  od
}

/* One grant's BatchTask with its GrantSink. */
proctype WorkerTask(byte c; byte g) {
end:
  do
  :: d_step { /* GrantSink::Ready, TrainerStream::OnTaskEnd */
       LIVES(c) && T(c, g).state == MAY_WRITE ->
       Write(c, g);
       T(c, g).state = OVER;
       if
       :: T(c, g).cancelled
       :: else -> T(c, g).answered = 1; ToTrainer(c, READY, g)
       fi
     }
  :: d_step { /* GrantSink::Needs, Failed */
       LIVES(c) && T(c, g).state == MAY_WRITE && !T(c, g).cancelled &&
       errors > 0 ->
       errors--;
       T(c, g).state = OVER;
       T(c, g).answered = 1;
       ToTrainer(c, FAILED, g)
     }
  :: d_step { /* the task sees that it is cancelled */
       LIVES(c) && T(c, g).state == MAY_WRITE &&
       (T(c, g).cancelled || worker_end[c].closed) ->
       T(c, g).state = OVER
     }
  :: d_step { /* TrainerStream::OnTaskGone */
       LIVES(c) && T(c, g).state == OVER && T(c, g).cancelled &&
       !T(c, g).answered ->
       T(c, g).answered = 1;
       ToTrainer(c, RETURNED, g)
     }
  :: d_step {
       LIVES(c) && T(c, g).state == OVER &&
       (!T(c, g).cancelled || T(c, g).answered) ->
       LetGo(c, g)
     }
#ifdef FAULT_COUNT_LATE
  :: d_step {
       LIVES(c) && T(c, g).state == MAPPING ->
       T(c, g).state = MAY_WRITE;
       worker_end[c].rooms_held++
     }
#endif
#ifdef FAULT_READY_EARLY
  :: d_step {
       LIVES(c) && T(c, g).state == MAY_WRITE && !T(c, g).cancelled ->
       T(c, g).state = FALSE_READY;
       T(c, g).answered = 1;
       ToTrainer(c, READY, g)
     }
  :: d_step {
       LIVES(c) && T(c, g).state == FALSE_READY ->
       Write(c, g);
       T(c, g).state = OVER
     }
#endif
  od
}
