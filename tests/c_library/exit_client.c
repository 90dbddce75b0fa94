/* A program in C that ends while a loader is open and its threads run:
 *
 *     exit_client WAY OPTIONS SESSION
 *
 * prints "open" once it has a batch, and after a line on stdin ends with 7:
 *
 * - return: main() returns, with batches on their way;
 * - thread: another thread calls exit() while main() waits for batches;
 * - handler: main() returns, and a handler of atexit() closes everything. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/c_library/check.h"
#include "trainer_client/c/tributary.h"

enum { kExitCode = 7 };

static tributary_source* source;
static tributary_loader* loader;
static tributary_batch* kept;

/* Leaves this thread with an error text that is too long for a std::string
 * without memory of its own. */
static void fail_once(void) {
  tributary_source* none;
  CHECK(tributary_source_open("{\"mode\": \"fast\"}", NULL, NULL, &none) ==
        TRIBUTARY_INVALID_ARGUMENT);
}

/* Writes over all small blocks that are free. */
static void fill_free_blocks(void) {
  for (size_t size = 16; size <= 512; size += 16) {
    for (int i = 0; i < 16; ++i) {
      void* block = malloc(size); /* kept, for the next to be another */
      CHECK(block != NULL);
      memset(block, 'x', size);
    }
  }
}

/* Runs after the destructors of this thread's objects. */
static void close_all(void) {
  fail_once();
  fill_free_blocks();
  CHECK(strcmp(tributary_last_error(),
               "mode is \"fast\"; allowed: \"collocated\", \"mp\", "
               "\"remote\"") == 0);
  tributary_batch_close(kept);
  tributary_loader_close(loader);
  tributary_source_close(source);
}

static tributary_status next_and_close(void) {
  tributary_batch* batch = NULL;
  const tributary_status status = tributary_loader_next(loader, -1, &batch);
  tributary_batch_close(batch);
  return status;
}

/* Reads batches, epoch after epoch. */
static void read_for_ever(void) {
  for (uint64_t epoch = 1;; ++epoch) {
    CHECK_OK(tributary_loader_start_epoch(loader, epoch));
    while (next_and_close() == TRIBUTARY_OK) continue;
  }
}

static void* exit_from_here(void* unused) {
  (void)unused;
  exit(kExitCode);
}

static void open_all(const char* options, const char* session) {
  CHECK_OK(tributary_source_open(options, NULL, NULL, &source));
  CHECK_OK(tributary_loader_open(source, session, 0, 1, &loader));
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  CHECK_OK(tributary_loader_next(loader, -1, &kept));
}

static void await_line(void) {
  char line[16];
  puts("open");
  fflush(stdout);
  CHECK(fgets(line, sizeof line, stdin) != NULL);
}

int main(int argc, char** argv) {
  pthread_t thread;
  if (argc != 4) {
    fprintf(stderr, "usage: exit_client WAY OPTIONS SESSION\n");
    return 2;
  }
  fail_once();
  open_all(argv[2], argv[3]);
  await_line();
  CHECK_OK(next_and_close()); /* its credit asks for another batch */
  if (strcmp(argv[1], "handler") == 0) CHECK(atexit(close_all) == 0);
  if (strcmp(argv[1], "thread") == 0) {
    CHECK(pthread_create(&thread, NULL, exit_from_here, NULL) == 0);
    read_for_ever();
  }
  return kExitCode;
}
