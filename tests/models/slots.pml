/* Slots in shared memory between a trainer and its workers: who may write
 * where, and when a slot is used again. README.md says how to run it, what it
 * proves and what it leaves out; each part names the code that it stands for.
 *
 * One step here is what the code does under one lock, or in one callback. Each
 * thing that can happen once, twice and so on may happen at any step. */

#ifndef SLOTS
#define SLOTS 2 /* or 3 */
#endif
#ifndef INDICES
#define INDICES 2 /* batches to deliver, in order; or 3 */
#endif
#ifndef CRASHES
#define CRASHES 0 /* of either worker; it is started again */
#endif
#ifndef FREEZES
#define FREEZES 0 /* of either worker; it thaws (unless NO_THAW), or dies */
#endif
#ifndef CLOSES
#define CLOSES 0 /* streams that a worker closes by itself */
#endif
#ifndef ERRORS
#define ERRORS 0 /* answers that are no batch: Needs, BatchError */
#endif
#ifndef HASTES
#define HASTES 0 /* workers that the trainer wrongly takes for late or dead */
#endif

#define WORKERS 2
#define STREAMS 4 /* two for each worker: one in use, one that ends */
#define GRANTS 2  /* of a stream; all but one are cancelled or answered */
#define NONE 15
#define WORKER_OF(c) ((c) >> 1)
#define OTHER(c) ((c) ^ 1) /* of the same worker */

/* What goes over a socket: channel/shm/record.h, common/proto/wire.proto. A
 * grant's number is its room's too. */
mtype = {
  CREDIT, CANCEL,                    /* trainer to worker */
  READY, FAILED, RETURNED, RELEASED, /* worker to trainer */
  CLOSE                              /* either */
}
/* Each holds what the kernel has and what still waits in ShmStream::queue_. All
 * that the open grants can cause fits, so nobody waits for a socket. */
chan down[STREAMS] = [GRANTS * 2 + 1] of { mtype, byte, byte }
chan up[STREAMS] = [GRANTS * 3 + 1] of { mtype, byte, byte }
bit down_shut[STREAMS]; /* after what is in it comes its end */
bit up_shut[STREAMS];

/* channel/slot_ring.h, and the owners of a ReceiveSlot
 * (trainer_client/core/fleet/receive_slot.h). */
#define FREE 0
#define GRANTED 1
#define FILLED 2
#define LEASED 3
byte slot[SLOTS];
byte pins[SLOTS];

/* PendingBatch (trainer_client/core/window/pending_batch.h). */
#define WANTED 0
#define ASKED 1
#define MADE 2
#define TAKEN 3
byte batch[INDICES];
byte slot_of[INDICES] = NONE; /* while it is MADE */
bit hedged[INDICES];
bit delivered[INDICES]; /* what the user saw */

/* The trainer's end of a stream: ShmStream and BatchStream. */
#define ABSENT 0
#define OPEN 1
#define CLOSED 2 /* the socket's end is still to come */
typedef Grant {
  byte room = NONE; /* the slot, until it is leased */
  byte index;
  bit open;      /* in BatchStream::granted_ */
  bit cancelled; /* Returned is still to come */
  bit lent;      /* in ShmStream::lent_ */
}
typedef TrainerEnd {
  byte state;
  Grant grant[GRANTS];
}
TrainerEnd trainer_end[STREAMS];

/* The worker's end: ShmStream, and the grants of
 * sampler_server/service/trainer_stream.h with their tasks and sinks. */
#define NO_TASK 0
#define MAY_WRITE 1
#define OVER 2      /* it writes no more and holds the room */
#define MAPPING 3   /* only with FAULT_COUNT_LATE */
#define FALSE_READY 4 /* only with FAULT_READY_EARLY */
typedef Task {
  byte state;
  byte room;
  bit cancelled;
  bit answered;
}
typedef WorkerEnd {
  bit present; /* the process has the socket open */
  bit closed;
#ifdef FAULT_COUNT_LATE
  bit deaf;
#endif
  bit watched;
  byte rooms_held;
  Task task[GRANTS];
}
WorkerEnd worker_end[STREAMS];

#define DEAD 0
#define ALIVE 1
#define FROZEN 2
byte worker_is[WORKERS];

byte crashes = CRASHES, freezes = FREEZES, closes = CLOSES;
byte errors = ERRORS, hastes = HASTES;
bit all_closed; /* the loader has closed and all that was lent came back */

/* For use within one step; no part of the state. */
hidden mtype kind;
hidden byte number, room, keep, length, at, c_, g_, i_, s_, spare;

/* ---- sockets ------------------------------------------------------------ */

/* What had not reached the kernel is lost: DropQueue, LingerIsOver, death. */
inline CutTail(queue) {
  keep = len(queue);
  do
  :: keep > 0 -> keep--
  :: break
  od;
  skip;
  d_step {
    length = len(queue);
    for (at : 1 .. length) {
      queue ? kind, number, room;
      if
      :: at <= keep -> queue ! kind, number, room
      :: else
      fi
    }
  }
  skip
}

inline Drain(queue) {
  do
  :: len(queue) > 0 -> queue ? kind, number, room
  :: else -> break
  od;
  skip
}

inline ToWorker(c, what, g, r) {
  if
  :: worker_end[c].present -> assert(nfull(down[c])); down[c] ! what, g, r
  :: else /* EPIPE */
  fi
}

inline ToTrainer(c, what, g) {
  if
  :: worker_end[c].closed /* Send fails */
  :: else -> assert(nfull(up[c])); up[c] ! what, g, 0
  fi
}

#include "trainer.pml"
#include "worker.pml"

/* ---- what befalls workers ------------------------------------------------ */

/* The kernel closes what the process had open. */
inline Die(c) {
  if
  :: worker_end[c].present ->
     CutTail(up[c]);
     d_step {
       up_shut[c] = 1;
       Drain(down[c]);
       worker_end[c].present = 0;
       worker_end[c].closed = 0;
       SetDeaf(c, 0);
       worker_end[c].watched = 0;
       worker_end[c].rooms_held = 0;
       for (g_ : 0 .. GRANTS - 1) {
         T(c, g_).state = NO_TASK;
         T(c, g_).room = 0;
         T(c, g_).cancelled = 0;
         T(c, g_).answered = 0;
       }
     }
  :: else
  fi
}

/* Both workers being alike, the one that freezes, or else crashes, is called 0
 * where it is only one. */
proctype Fate(byte w) {
end:
  do
  :: atomic {
       worker_is[w] != DEAD && crashes > 0 && (w == 0 || FREEZES + CRASHES > 1) ->
       crashes--;
       Die(2 * w);
       Die(2 * w + 1);
       worker_is[w] = DEAD
     }
  :: d_step { worker_is[w] == DEAD -> worker_is[w] = ALIVE }
  :: d_step {
       worker_is[w] == ALIVE && freezes > 0 && (w == 0 || FREEZES > 1) ->
       freezes--;
       worker_is[w] = FROZEN
     }
#ifndef NO_THAW
  :: d_step { worker_is[w] == FROZEN -> worker_is[w] = ALIVE }
#endif
  od
}

/* ---- what must hold ------------------------------------------------------ */

#define GONE(c) (trainer_end[c].state == ABSENT)
#define SLOT_FREE(s) (slot[s] == FREE && pins[s] == 0)
#if SLOTS == 2
#define ALL_FREE (SLOT_FREE(0) && SLOT_FREE(1))
#else
#define ALL_FREE (SLOT_FREE(0) && SLOT_FREE(1) && SLOT_FREE(2))
#endif

/* Closing waits for the end of every stream; then nothing is lost. */
proctype Close() {
  ALL_DELIVERED;
#ifdef NO_THAW
end: /* what the frozen worker holds is held for ever */
#endif
  d_step {
    GONE(0) && GONE(1) && GONE(2) && GONE(3) && ALL_FREE ->
    all_closed = 1
  }
}

ltl all_delivered { <> ALL_DELIVERED }
ltl all_returned { <> all_closed }
/* A slot that is held is free again in the end. */
ltl slot_returns { [] (slot[0] != FREE -> <> (slot[0] == FREE)) }

init {
  atomic {
    for (i_ : 0 .. WORKERS - 1) {
      worker_is[i_] = ALIVE;
      run Fate(i_)
    }
    Connect(0);
    Connect(2);
    for (c_ : 0 .. STREAMS - 1) {
      run TrainerStream(c_);
      run WorkerStream(c_);
      for (g_ : 0 .. GRANTS - 1) {
        run WorkerTask(c_, g_)
      }
    }
    for (i_ : 0 .. INDICES - 1) {
      run Loader(i_)
    }
    for (s_ : 0 .. SLOTS - 1) {
      run User(s_)
    }
    run Close()
  }
  skip
}
