/* The trainer: its ends of the streams, its ring, its loader. */

/* The last to let go of a ReceiveSlot frees it. */
inline Unpin(s) {
  if
  :: s != NONE ->
     assert(pins[s] > 0 && slot[s] != FREE); /* nobody lets go twice */
     pins[s]--;
     if
     :: pins[s] == 0 -> slot[s] = FREE
     :: else
     fi
  :: else /* it was leased, and is the lease's to free */
  fi
}

#define G(c, g) trainer_end[c].grant[g]
#define IN_USE(c, g) (G(c, g).open || G(c, g).lent || G(c, g).cancelled)

/* When a number is given out again nothing that names it is under way. */
inline ForgetIfOver(c, g) {
  if
  :: !IN_USE(c, g) -> G(c, g).room = NONE; G(c, g).index = 0
  :: else
  fi
}

inline EndGrant(c, g) { /* BatchStream::Take */
  G(c, g).open = 0;
  Unpin(G(c, g).room)
}

inline EndLoan(c, g) { /* out of ShmStream::lent_ */
  G(c, g).lent = 0;
  Unpin(G(c, g).room)
}

#define ASKED_AT(i, c) \
  ((G(c, 0).open && G(c, 0).index == i) || (G(c, 1).open && G(c, 1).index == i))
#define LIVE_AT(i, c)                                                \
  ((G(c, 0).open && !G(c, 0).cancelled && G(c, 0).index == i) ||     \
   (G(c, 1).open && !G(c, 1).cancelled && G(c, 1).index == i))
/* ServerFleet::IsRequested */
#define IS_ASKED(i) \
  (LIVE_AT(i, 0) || LIVE_AT(i, 1) || LIVE_AT(i, 2) || LIVE_AT(i, 3))

/* The batch is wanted again, unless another worker makes it or it is there:
 * AnswerHandler::Retry and OnServerDown. */
inline WantAgain(i) {
  if
  :: batch[i] == ASKED && !IS_ASKED(i) -> batch[i] = WANTED
  :: else
  fi
}

/* ServerFleet::Cancel; `but`: a stream that goes on. */
inline Abandon(i, but) {
  for (c_ : 0 .. STREAMS - 1) {
    for (g_ : 0 .. GRANTS - 1) {
      if
      :: c_ != but && G(c_, g_).open && !G(c_, g_).cancelled &&
         G(c_, g_).index == i ->
         G(c_, g_).cancelled = 1;
         ToWorker(c_, CANCEL, g_, 0)
      :: else
      fi
    }
  }
  skip
}

/* ServerFleet::Choose, ServerStreams::CanTake and HasGrantFor. */
#define CAN_TAKE(i, c)                                                   \
  (trainer_end[c].state == OPEN && !(G(c, 0).open && !G(c, 0).cancelled) && \
   !(G(c, 1).open && !G(c, 1).cancelled) &&                              \
   (!IN_USE(c, 0) || !IN_USE(c, 1)) && !ASKED_AT(i, c))
#define ASKABLE(i)                                          \
  (batch[i] == WANTED && (CAN_TAKE(i, 0) || CAN_TAKE(i, 1) || \
                          CAN_TAKE(i, 2) || CAN_TAKE(i, 3)))
/* BatchRequester::RequestDue goes in ascending order. */
#define NEXT_TO_ASK(i) \
  (ASKABLE(i) && (i < 1 || !ASKABLE(0)) && (i < 2 || !ASKABLE(1)))
#if SLOTS == 2
#define ANY_FREE (slot[0] == FREE || slot[1] == FREE)
#else
#define ANY_FREE (slot[0] == FREE || slot[1] == FREE || slot[2] == FREE)
#endif
#if INDICES == 2
#define MADE_ABOVE(i) (i < 1 && batch[1] == MADE)
#define ALL_TAKEN (batch[0] == TAKEN && batch[1] == TAKEN)
#define ALL_DELIVERED (delivered[0] && delivered[1])
#else
#define MADE_ABOVE(i) \
  ((i < 1 && batch[1] == MADE) || (i < 2 && batch[2] == MADE))
#define ALL_TAKEN \
  (batch[0] == TAKEN && batch[1] == TAKEN && batch[2] == TAKEN)
#define ALL_DELIVERED (delivered[0] && delivered[1] && delivered[2])
#endif

/* BatchRequester::Send, BatchStream::SendCredit and ShmStream::AddRoom. */
inline Ask(i) {
  if
  :: CAN_TAKE(i, 0) -> c_ = 0
  :: CAN_TAKE(i, 1) -> c_ = 1
  :: CAN_TAKE(i, 2) -> c_ = 2
  :: CAN_TAKE(i, 3) -> c_ = 3
  fi;
  d_step {
    spare = c_;
    s_ = 0;
    do
    :: slot[s_] != FREE -> s_++
    :: else -> break
    od;
    g_ = (IN_USE(c_, 0) -> 1 : 0);
    assert(pins[s_] == 0);
    slot[s_] = GRANTED;
    pins[s_] = 2; /* the grant and the loan */
    G(c_, g_).room = s_;
    G(c_, g_).index = i;
    G(c_, g_).open = 1;
    G(c_, g_).lent = 1;
    ToWorker(c_, CREDIT, g_, s_);
    batch[i] = ASKED;
    if
    :: hedged[i] /* the first may still come first */
    :: else -> Abandon(i, spare)
    fi
  }
  skip
}

/* BatchRooms::Allocate, BatchWindow::EvictAbove. */
inline EvictAbove(i) {
  i_ = INDICES - 1;
  do
  :: batch[i_] != MADE -> i_--
  :: else -> break
  od;
  batch[i_] = WANTED;
  Unpin(slot_of[i_]);
  slot_of[i_] = NONE
}

/* AnswerHandler::OnFilled. The grant's pin becomes the batch's. */
inline OnFilled(c, g) {
  i_ = G(c, g).index;
  s_ = G(c, g).room;
  G(c, g).open = 0;
  if
#ifdef FAULT_READY_UNCHECKED
  :: batch[i_] != MADE ->
#else
  :: batch[i_] == WANTED || batch[i_] == ASKED ->
#endif
     slot[s_] = FILLED;
     batch[i_] = MADE;
     slot_of[i_] = s_;
     Abandon(i_, NONE)
  :: else -> Unpin(s_) /* a double */
  fi
}

/* All that is asked on the stream is lost; what is lent stays lent:
 * BatchStream::OnClosed, ServerLink::GoDown. */
inline LoseGrants(c) {
  for (g_ : 0 .. GRANTS - 1) {
    if
    :: G(c, g_).open -> EndGrant(c, g_)
    :: else
    fi;
    G(c, g_).cancelled = 0;
  }
  for (i_ : 0 .. INDICES - 1) {
#ifndef FAULT_LOST_BATCH
    WantAgain(i_)
#else
    skip
#endif
  }
  skip
}

inline ReturnLoans(c) {
  for (g_ : 0 .. GRANTS - 1) {
    if
    :: G(c, g_).lent -> EndLoan(c, g_)
    :: else
    fi;
  }
  skip
}

/* The trainer's ShmStream::Close: a frozen worker is given up, or the loader
 * closes. */
inline CloseByTrainer(c) {
  CutTail(down[c]);
  if
  :: ToWorker(c, CLOSE, 0, 0)
  :: skip /* a frozen worker's socket is full: LingerIsOver */
  fi;
  d_step {
    trainer_end[c].state = CLOSED;
    down_shut[c] = 1;
    LoseGrants(c);
#ifdef FAULT_FREE_AT_CLOSE
    ReturnLoans(c)
#endif
  }
  skip
}

/* A record has come: the trainer's ShmStream::Handle, BatchStream::Dispatch. */
inline Hear(c) {
  up[c] ? kind, number, room;
  if
  :: kind == RELEASED ->
#ifndef FAULT_FREE_AT_CLOSE
     assert(G(c, number).lent); /* else DATA_LOSS */
#endif
#ifdef FAULT_RELEASED_TWICE
     Unpin(G(c, number).room) /* and stays in lent_ until the socket's end */
#else
     if
     :: G(c, number).lent -> EndLoan(c, number)
     :: else
     fi
#endif
  :: kind == CLOSE && trainer_end[c].state == OPEN ->
     trainer_end[c].state = CLOSED;
     down_shut[c] = 1;
     LoseGrants(c)
  :: trainer_end[c].state != OPEN && kind != RELEASED /* deaf */
  :: kind == READY && trainer_end[c].state == OPEN ->
     assert(G(c, number).open); /* "an answer to a grant which is not open" */
     OnFilled(c, number)
  :: kind == FAILED && trainer_end[c].state == OPEN ->
     assert(G(c, number).open);
     i_ = G(c, number).index;
     EndGrant(c, number);
     WantAgain(i_)
  :: kind == RETURNED && trainer_end[c].state == OPEN ->
     G(c, number).cancelled = 0;
     if
     :: G(c, number).open ->
        i_ = G(c, number).index;
        EndGrant(c, number);
        WantAgain(i_)
     :: else /* it crossed the batch */
     fi
  fi;
  ForgetIfOver(c, number)
}

/* The trainer's ShmStream::EndOfSocket: nobody there can write any more. */
inline EndOfSocket(c) {
  down_shut[c] = 1;
  LoseGrants(c);
  ReturnLoans(c);
  for (g_ : 0 .. GRANTS - 1) {
    ForgetIfOver(c, g_)
  }
  trainer_end[c].state = ABSENT
}

/* ShmTransport::Connect: a new stream of a worker that has answered. */
inline Connect(c) {
  assert(len(up[c]) == 0);
  Drain(down[c]);
  down_shut[c] = 0;
  up_shut[c] = 0;
  trainer_end[c].state = OPEN;
  worker_end[c].present = 1;
  worker_end[c].watched = 1
}
#define UNUSED(c) (trainer_end[c].state == ABSENT && !worker_end[c].present)
#define MAY_CONNECT(c)                                                  \
  (!ALL_TAKEN && worker_is[WORKER_OF(c)] == ALIVE && UNUSED(c) &&       \
   trainer_end[OTHER(c)].state != OPEN && ((c & 1) == 0 || !UNUSED(OTHER(c))))

/* Timers are not modelled: that a worker is silent or late may be found while
 * it is frozen, and HASTES times when it is not. */
#define SILENT(c) (worker_is[WORKER_OF(c)] == FROZEN)

/* LoaderCore::Deliver: in order, each index once. */
#define NEXT_TO_DELIVER(i)                         \
  (batch[i] == MADE && (i < 1 || batch[0] == TAKEN) && \
   (i < 2 || batch[1] == TAKEN))
inline Deliver(i) { /* ReceiveSlot::Lend */
  assert(!delivered[i]);
  delivered[i] = 1;
  s_ = slot_of[i];
  assert(slot[s_] == FILLED);
  slot[s_] = LEASED;
  pins[s_] = 0;
  /* The loan may go on; the room is the lease's. */
  for (c_ : 0 .. STREAMS - 1) {
    for (g_ : 0 .. GRANTS - 1) {
      if
      :: G(c_, g_).room == s_ -> G(c_, g_).room = NONE
      :: else
      fi
    }
  }
  slot_of[i] = NONE;
  batch[i] = TAKEN
}

/* What happens to one stream of the trainer. */
proctype TrainerStream(byte c) {
end:
  do
  :: d_step { trainer_end[c].state != ABSENT && len(up[c]) > 0 -> Hear(c) }
  :: d_step {
       trainer_end[c].state != ABSENT && len(up[c]) == 0 && up_shut[c] ->
       EndOfSocket(c)
     }
  :: d_step { MAY_CONNECT(c) -> Connect(c) }
  :: atomic {
       trainer_end[c].state == OPEN && (SILENT(c) || ALL_TAKEN) ->
       CloseByTrainer(c)
     }
  :: atomic {
       trainer_end[c].state == OPEN && hastes > 0 ->
       hastes--;
       CloseByTrainer(c)
     }
  od
}

/* LoaderCore::Pump and Tick for one index. */
proctype Loader(byte i) {
end:
  do
  :: atomic { NEXT_TO_ASK(i) && ANY_FREE -> Ask(i) }
#ifndef FAULT_NO_EVICTION
  :: d_step { NEXT_TO_ASK(i) && !ANY_FREE && MADE_ABOVE(i) -> EvictAbove(i) }
#endif
  :: d_step { /* PassOverSilent */
       batch[i] == ASKED &&
       ((SILENT(0) && (LIVE_AT(i, 0) || LIVE_AT(i, 1))) ||
        (SILENT(2) && (LIVE_AT(i, 2) || LIVE_AT(i, 3)))) ->
       batch[i] = WANTED
     }
  :: d_step { /* HedgeLate */
       batch[i] == ASKED && !hedged[i] && hastes > 0 ->
       hastes--;
       hedged[i] = 1;
       batch[i] = WANTED
     }
  :: d_step { NEXT_TO_DELIVER(i) -> Deliver(i) }
  od
}

/* The user lets go of a batch, at any time, in any order. */
proctype User(byte s) {
end:
  do
  :: d_step { slot[s] == LEASED -> slot[s] = FREE }
  od
}
