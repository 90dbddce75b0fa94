/* A program in C on libtributary.so: each command checks one part of the
 * interface, and ends with 1 and a line on stderr where it finds a fault. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/c_library/check.h"
#include "trainer_client/c/tributary.h"
#include "trainer_client/c/tributary_dlpack.h"

/* The call fails with this code, and a text that has these words. */
#define CHECK_FAILS(call, code, words)                      \
  do {                                                      \
    CHECK((call) == (code));                                \
    CHECK(strstr(tributary_last_error(), (words)) != NULL); \
  } while (0)

static const char kSession[] =
    "{\"input_nodes\": \"train\", \"num_neighbors\": [4, 3], "
    "\"batch_size\": 32, \"random_seed\": 11}";

static tributary_source* open_source(const char* graph) {
  char options[4096];
  tributary_source* source = NULL;
  snprintf(options, sizeof options,
           "{\"mode\": \"collocated\", \"graph\": \"%s\", \"num_threads\": 2, "
           "\"channel_size\": \"16MiB\"}",
           graph);
  CHECK_OK(tributary_source_open(options, NULL, NULL, &source));
  return source;
}

static tributary_loader* open_loader(tributary_source* source,
                                     const char* session) {
  tributary_loader* loader = NULL;
  CHECK_OK(tributary_loader_open(source, session, 0, 1, &loader));
  return loader;
}

static tributary_batch* next_batch(tributary_loader* loader) {
  tributary_batch* batch = NULL;
  CHECK_OK(tributary_loader_next(loader, -1, &batch));
  CHECK(batch != NULL);
  return batch;
}

/* Asks for a batch and polls until it is there. */
static tributary_status polled_next(tributary_loader* loader,
                                    tributary_batch** batch) {
  struct pollfd ready = {.events = POLLIN};
  tributary_status status;
  CHECK_OK(tributary_loader_descriptor(loader, &ready.fd));
  while ((status = tributary_loader_next(loader, 0, batch)) ==
         TRIBUTARY_NOT_YET) {
    CHECK(*batch == NULL);
    CHECK(poll(&ready, 1, 60 * 1000) == 1);
  }
  return status;
}

struct notices {
  _Atomic int waits;
  _Atomic int named; /* of them, those that name the server */
};

static void count_notice(void* context, const char* reason,
                         double seconds_left) {
  struct notices* notices = context;
  if (reason[0] == '\0' || seconds_left > 6) return;
  atomic_fetch_add(&notices->waits, 1);
  if (strstr(reason, "127.0.0.1:1") != NULL)
    atomic_fetch_add(&notices->named, 1);
}

/* notices: nobody listens at port 1. */
static void wait_notices(char** arguments) {
  struct notices notices = {0};
  tributary_source* source = NULL;
  tributary_loader* loader = NULL;
  (void)arguments;
  CHECK_OK(tributary_set_log(TRIBUTARY_LOG_OFF, NULL, NULL));
  CHECK_OK(
      tributary_source_open("{\"mode\": \"remote\", \"servers\": "
                            "\"127.0.0.1:1\", \"rpc_timeout\": 6}",
                            count_notice, &notices, &source));
  CHECK_FAILS(tributary_loader_open(source, kSession, 0, 1, &loader),
              TRIBUTARY_UNAVAILABLE, "127.0.0.1:1");
  CHECK(loader == NULL);
  CHECK(atomic_load(&notices.waits) > 0);
  CHECK(atomic_load(&notices.named) == atomic_load(&notices.waits));
  tributary_source_close(source);
}

static void print_epoch(tributary_loader* loader, uint64_t epoch) {
  tributary_batch* batch = NULL;
  tributary_status status;
  CHECK_OK(tributary_loader_start_epoch(loader, epoch));
  while ((status = polled_next(loader, &batch)) == TRIBUTARY_OK) {
    tributary_batch_key key;
    char digest[65];
    CHECK_OK(tributary_batch_get_key(batch, &key));
    CHECK_OK(tributary_batch_digest(batch, digest));
    printf("%llu %llu %s\n", (unsigned long long)key.epoch,
           (unsigned long long)key.index, digest);
    tributary_batch_close(batch);
  }
  CHECK(status == TRIBUTARY_END_OF_EPOCH);
  CHECK(polled_next(loader, &batch) == TRIBUTARY_END_OF_EPOCH);
}

/* digests GRAPH SESSION: the batches of two epochs. */
static void digests(char** arguments) {
  tributary_source* source = open_source(arguments[0]);
  tributary_loader* loader = open_loader(source, arguments[1]);
  tributary_source_close(source); /* the loader keeps what it needs */
  print_epoch(loader, 0);
  print_epoch(loader, 1);
  tributary_loader_close(loader);
}

/* ranks GRAPH: the second of two trainers takes batches 1 and 3 of five. */
static void ranks(char** arguments) {
  tributary_source* source = open_source(arguments[0]);
  tributary_loader* loader = NULL;
  tributary_batch_key key;
  tributary_batch* batch = NULL;
  CHECK_OK(tributary_loader_open(source, kSession, 1, 2, &loader));
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  for (uint64_t index = 1; index < 5; index += 2) {
    batch = next_batch(loader);
    CHECK_OK(tributary_batch_get_key(batch, &key));
    CHECK(key.index == index);
    tributary_batch_close(batch);
  }
  CHECK(tributary_loader_next(loader, -1, &batch) == TRIBUTARY_END_OF_EPOCH);
  tributary_loader_close(loader);
  tributary_source_close(source);
}

/* sizes GRAPH: sizes, schema, statistics, cursor. */
static void sizes(char** arguments) {
  tributary_source* source = open_source(arguments[0]);
  tributary_loader* loader = open_loader(source, kSession);
  tributary_loader_sizes all;
  uint64_t inputs = 0;
  char *json = NULL, *cursor = NULL;
  char first[65], again[65];
  CHECK_OK(tributary_loader_get_sizes(loader, &all));
  CHECK(all.num_inputs == 140 && all.num_batches == 5 && all.rounds == 0);
  CHECK_OK(tributary_loader_schema(loader, &json));
  CHECK(strstr(json, "\"node_types\"") != NULL);
  tributary_text_free(json);

  CHECK_OK(tributary_loader_start_epoch(loader, 3));
  CHECK_OK(tributary_loader_get_sizes(loader, &all));
  CHECK(all.begin_index == 0 && all.end_index == 5 && all.rounds == 5);
  CHECK_OK(tributary_loader_inputs_in_batch(loader, 4, &inputs));
  CHECK(inputs == 140 - 4 * 32);
  tributary_batch_close(next_batch(loader));
  CHECK_OK(tributary_loader_cursor(loader, 1, &cursor));
  tributary_batch* batch = next_batch(loader);
  CHECK_OK(tributary_batch_digest(batch, first));
  tributary_batch_close(batch);

  CHECK_OK(tributary_loader_resume(loader, cursor));
  tributary_text_free(cursor);
  batch = next_batch(loader);
  CHECK_OK(tributary_batch_digest(batch, again));
  CHECK(strcmp(first, again) == 0);
  tributary_batch_close(batch);
  CHECK_OK(tributary_loader_statistics(loader, &json));
  CHECK(strstr(json, "\"batches\":3,") != NULL);
  CHECK(strstr(json, "\"compact\":") != NULL);
  CHECK(strstr(json, "\"wire_bytes\":") != NULL);
  tributary_text_free(json);

  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  CHECK_OK(tributary_loader_limit(loader, 3, 4));
  tributary_batch_key key;
  batch = next_batch(loader);
  CHECK_OK(tributary_batch_get_key(batch, &key));
  CHECK(key.index == 3);
  tributary_batch_close(batch);
  CHECK(tributary_loader_next(loader, -1, &batch) == TRIBUTARY_END_OF_EPOCH);
  tributary_loader_close(loader);
  tributary_source_close(source);
}

/* errors GRAPH: what is wrong is said, and results are NULL. */
static void errors(char** arguments) {
  tributary_source* source = (tributary_source*)&source;
  tributary_loader* loader = NULL;
  tributary_batch* batch = NULL;
  tributary_tensor tensor;
  const tributary_status invalid = TRIBUTARY_INVALID_ARGUMENT;
  CHECK(strcmp(tributary_last_error(), "") == 0);
  CHECK_FAILS(tributary_source_open("{", NULL, NULL, &source), invalid,
              "options line 1");
  CHECK(source == NULL);
  CHECK_FAILS(
      tributary_source_open("{\"mode\": \"fast\"}", NULL, NULL, &source),
      invalid, "allowed: \"collocated\", \"mp\", \"remote\"");
  CHECK_FAILS(tributary_source_open(NULL, NULL, NULL, &source), invalid,
              "options is NULL");
  CHECK_FAILS(tributary_source_open("{}", NULL, NULL, NULL), invalid,
              "source is NULL");
  CHECK(tributary_source_open(
            "{\"mode\": \"collocated\", \"graph\": \"no-such-graph\"}", NULL,
            NULL, &source) != TRIBUTARY_OK);
  CHECK(strstr(tributary_last_error(), "no-such-graph") != NULL);

  source = open_source(arguments[0]);
  CHECK_FAILS(tributary_loader_open(NULL, "{}", 0, 1, &loader), invalid,
              "source is NULL");
  CHECK_FAILS(
      tributary_loader_open(source, "{\"batch_sise\": 1}", 0, 1, &loader),
      invalid, "batch_sise");
  CHECK_FAILS(tributary_loader_open(source,
                                    "{\"input_nodes\": \"train\", "
                                    "\"num_neighbors\": [4], "
                                    "\"batch_size\": 0}",
                                    0, 1, &loader),
              invalid, "batch_size \"0\"");
  CHECK_FAILS(tributary_loader_open(source, kSession, 2, 2, &loader), invalid,
              "rank is 2 of a world of 2");
  loader = open_loader(source, kSession);
  CHECK_FAILS(tributary_loader_next(loader, -1, &batch),
              TRIBUTARY_FAILED_PRECONDITION, "no epoch");
  CHECK_FAILS(tributary_loader_resume(loader, "{\"epoch\": \"x\"}"), invalid,
              "cursor: epoch");
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  batch = next_batch(loader);
  CHECK_FAILS(tributary_batch_tensor(batch, "m_id", &tensor),
              TRIBUTARY_NOT_FOUND, "n_id");
  CHECK_FAILS(tributary_batch_tensor_at(batch, 1000, &tensor),
              TRIBUTARY_OUT_OF_RANGE, "1000");
  CHECK_FAILS(tributary_set_log(7, NULL, NULL), invalid, "level is 7");
  tributary_batch_close(batch);
  tributary_loader_close(loader);
  tributary_source_close(source);
  tributary_source_close(NULL);
  tributary_loader_close(NULL);
  tributary_batch_close(NULL);
}

static void* delete_tensor(void* tensor) {
  DLManagedTensorVersioned* managed = tensor;
  managed->deleter(managed);
  return NULL;
}

static void check_exported(const DLTensor* exported,
                           const tributary_tensor* tensor) {
  CHECK(exported->data == tensor->data && exported->byte_offset == 0);
  CHECK(exported->device.device_type == kDLCPU);
  CHECK(exported->ndim == tensor->ndim);
  CHECK(memcmp(exported->shape, tensor->shape,
               sizeof(int64_t) * (size_t)tensor->ndim) == 0);
  CHECK(memcmp(exported->strides, tensor->strides,
               sizeof(int64_t) * (size_t)tensor->ndim) == 0);
}

/* lifetime GRAPH: tensors outlive batch, loader and source; deleting the last
 * returns the room, without which the ring would be full. */
static void lifetime(char** arguments) {
  tributary_source* source = open_source(arguments[0]);
  tributary_loader* loader = open_loader(source, kSession);
  DLManagedTensorVersioned* x = NULL;
  DLManagedTensor* ids = NULL;
  tributary_tensor tensor, n_id;
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  tributary_batch* batch = next_batch(loader);
  CHECK_OK(tributary_batch_tensor(batch, "x", &tensor));
  CHECK(strcmp(tensor.name, "x") == 0 && tensor.dtype == TRIBUTARY_FLOAT32);
  CHECK(strcmp(tensor.dtype_name, "float32") == 0 && tensor.ndim == 2);
  CHECK(tensor.strides[0] == tensor.shape[1] && tensor.strides[1] == 1);
  CHECK(tensor.bytes == (uint64_t)(4 * tensor.shape[0] * tensor.shape[1]));
  CHECK_OK(tributary_batch_dlpack(batch, "x", &x));
  CHECK(x->version.major == 1 && x->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
  CHECK(x->dl_tensor.dtype.code == kDLFloat && x->dl_tensor.dtype.bits == 32);
  CHECK(x->dl_tensor.dtype.lanes == 1);
  check_exported(&x->dl_tensor, &tensor);
  CHECK_OK(tributary_batch_tensor(batch, "n_id", &n_id));
  CHECK_OK(tributary_batch_dlpack_unversioned(batch, "n_id", &ids));
  CHECK(ids->dl_tensor.dtype.code == kDLInt && ids->dl_tensor.dtype.bits == 64);
  check_exported(&ids->dl_tensor, &n_id);

  const size_t bytes = tensor.bytes;
  char* copy = malloc(bytes);
  CHECK(copy != NULL);
  memcpy(copy, x->dl_tensor.data, bytes);
  tributary_batch_close(batch);
  ids->deleter(ids);
  /* Were the room free, later batches would be written into it. */
  for (uint64_t epoch = 0; epoch < 50; ++epoch) {
    CHECK_OK(tributary_loader_start_epoch(loader, epoch));
    for (int i = 0; i < 5; ++i) tributary_batch_close(next_batch(loader));
    CHECK(memcmp(copy, x->dl_tensor.data, bytes) == 0);
  }
  tributary_source_close(source);
  tributary_loader_close(loader);
  CHECK(memcmp(copy, x->dl_tensor.data, bytes) == 0);
  free(copy);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, delete_tensor, x) == 0);
  CHECK(pthread_join(other, NULL) == 0);
}

/* Exits with 0 if the parent's handles are refused by name. */
static void use_in_child(tributary_source* source, tributary_loader* loader,
                         tributary_batch* batch,
                         DLManagedTensorVersioned* tensor) {
  tributary_loader* opened = NULL;
  tributary_batch* next = NULL;
  char digest[65];
  const tributary_status code = TRIBUTARY_FAILED_PRECONDITION;
  CHECK_FAILS(tributary_loader_open(source, kSession, 0, 1, &opened), code,
              "the source is of process");
  CHECK_FAILS(tributary_loader_next(loader, -1, &next), code,
              "the loader is of process");
  CHECK_FAILS(tributary_loader_cancel(loader), code, "after a fork()");
  CHECK_FAILS(tributary_batch_digest(batch, digest), code,
              "the batch is of process");
  tensor->deleter(tensor);
  tributary_batch_close(batch);
  tributary_loader_close(loader);
  tributary_source_close(source);
  _exit(0); /* what the child could not release is no leak of its own */
}

/* fork GRAPH. */
static void fork_child(char** arguments) {
  tributary_source* source = open_source(arguments[0]);
  tributary_loader* loader = open_loader(source, kSession);
  DLManagedTensorVersioned* tensor = NULL;
  char digest[65];
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  tributary_batch* batch = next_batch(loader);
  CHECK_OK(tributary_batch_dlpack(batch, "x", &tensor));
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) use_in_child(source, loader, batch, tensor);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK_OK(tributary_batch_digest(batch, digest)); /* the parent goes on */
  tributary_batch_close(next_batch(loader));
  tensor->deleter(tensor);
  tributary_batch_close(batch);
  tributary_loader_close(loader);
  tributary_source_close(source);
}

static _Atomic int lines_logged = 0;

static void count_line(void* context, int32_t level, const char* line) {
  CHECK(context == &lines_logged && level >= TRIBUTARY_LOG_DEBUG);
  CHECK(line != NULL && line[0] != '\0' && strchr(line, '\n') == NULL);
  atomic_fetch_add(&lines_logged, 1);
}

/* What a program has not closed at its end. */
tributary_source* open_source_at_end;
tributary_loader* open_loader_at_end;
tributary_batch* open_batch_at_end;

/* log GRAPH: page-locked memory without CUDA is a warning, which the callback
 * gets. Handles stay open at the end of the process. */
static void log_lines(char** arguments) {
  char options[4096];
  CHECK_OK(tributary_set_log(TRIBUTARY_LOG_DEBUG, count_line, &lines_logged));
  snprintf(options, sizeof options,
           "{\"mode\": \"collocated\", \"graph\": \"%s\", "
           "\"channel_size\": \"16MiB\", \"pin_memory\": true}",
           arguments[0]);
  CHECK_OK(tributary_source_open(options, NULL, NULL, &open_source_at_end));
  open_loader_at_end = open_loader(open_source_at_end, kSession);
  CHECK_OK(tributary_loader_start_epoch(open_loader_at_end, 0));
  open_batch_at_end = next_batch(open_loader_at_end);
  CHECK(atomic_load(&lines_logged) > 0);
}

struct waiter {
  tributary_loader* loader;
  tributary_status status;
};

/* The thread that starts this one may be in a call at first. */
static void* wait_for_batch(void* argument) {
  struct waiter* waiter = argument;
  tributary_batch* batch = NULL;
  do {
    waiter->status = tributary_loader_next(waiter->loader, -1, &batch);
  } while (waiter->status == TRIBUTARY_FAILED_PRECONDITION);
  return NULL;
}

/* A line of the program that drives this one. */
static void await_line(void) {
  char line[16];
  CHECK(fgets(line, sizeof line, stdin) != NULL);
}

/* cancel ADDRESS: of a server, which is stopped between the two lines, so that
 * nothing but the cancel ends the wait. */
static void cancel(char** arguments) {
  char options[4096];
  tributary_source* source = NULL;
  tributary_batch* batch = NULL;
  snprintf(options, sizeof options,
           "{\"mode\": \"remote\", \"servers\": \"%s\", \"rpc_timeout\": 40}",
           arguments[0]);
  CHECK_OK(tributary_source_open(options, NULL, NULL, &source));
  tributary_loader* loader = open_loader(source, kSession);
  puts("opened");
  fflush(stdout);
  await_line();
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  CHECK(tributary_loader_next(loader, 0, &batch) == TRIBUTARY_NOT_YET);
  struct waiter waiter = {.loader = loader};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_for_batch, &waiter) == 0);
  uint64_t inputs;
  /* Once its call is under way, others are refused. */
  while (tributary_loader_inputs_in_batch(loader, 0, &inputs) == TRIBUTARY_OK) {
    sched_yield();
  }
  CHECK(strstr(tributary_last_error(), "another thread is in a call") != NULL);
  CHECK_OK(tributary_loader_cancel(loader));
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(waiter.status == TRIBUTARY_CANCELLED);
  CHECK(tributary_loader_next(loader, -1, &batch) == TRIBUTARY_CANCELLED);
  puts("cancelled");
  fflush(stdout);
  await_line();
  tributary_loader_close(loader);
  tributary_source_close(source);
}

enum { kSignals = 32 };
typedef void (*handler)(int);

/* The library installs none. */
static void read_handlers(handler* handlers) {
  for (int number = 1; number < kSignals; ++number) {
    struct sigaction action;
    CHECK(sigaction(number, NULL, &action) == 0);
    handlers[number] = action.sa_handler;
  }
  handlers[0] = SIG_DFL;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int arguments;
    void (*run)(char** arguments);
  } kCommands[] = {
      {"digests", 2, digests},   {"sizes", 1, sizes},
      {"ranks", 1, ranks},       {"errors", 1, errors},
      {"lifetime", 1, lifetime}, {"fork", 1, fork_child},
      {"log", 1, log_lines},     {"notices", 0, wait_notices},
      {"cancel", 1, cancel},
  };
  handler before[kSignals], after[kSignals];
  CHECK(tributary_abi_version() == TRIBUTARY_ABI_VERSION);
  CHECK(strlen(tributary_version()) > 0);
  for (size_t i = 0; i < sizeof kCommands / sizeof kCommands[0]; ++i) {
    if (argc == 2 + kCommands[i].arguments &&
        strcmp(argv[1], kCommands[i].name) == 0) {
      read_handlers(before);
      kCommands[i].run(argv + 2);
      read_handlers(after);
      CHECK(memcmp(before, after, sizeof before) == 0);
      return 0;
    }
  }
  fprintf(stderr, "usage: c_client COMMAND ARGUMENT...\n");
  return 2;
}
