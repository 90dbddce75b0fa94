/* A program in C that keeps rows on servers, samples and shares a graph out by
 * libtributary.so: each command checks one part of the interface, and ends with
 * 1 and a line on stderr where it finds a fault. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/c_library/check.h"
#include "trainer_client/c/tributary.h"

/* The call fails with this code, and a text that has these words. */
#define CHECK_FAILS(call, code, words)                      \
  do {                                                      \
    CHECK((call) == (code));                                \
    CHECK(strstr(tributary_last_error(), (words)) != NULL); \
  } while (0)

enum { kNodes = 2708, kWidth = 3 };

struct world {
  tributary_source* source;
  tributary_context* context;
};

static struct world open_world(const char* graph) {
  char options[4096];
  struct world world = {NULL, NULL};
  snprintf(options, sizeof options,
           "{\"mode\": \"collocated\", \"graph\": \"%s\", \"num_threads\": 2, "
           "\"channel_size\": \"16MiB\"}",
           graph);
  CHECK_OK(tributary_source_open(options, NULL, NULL, &world.source));
  CHECK_OK(tributary_context_open(world.source, "{}", &world.context));
  return world;
}

static void close_world(struct world world) {
  tributary_context_close(world.context);
  tributary_source_close(world.source);
}

static tributary_rows* open_rows(tributary_context* context, const char* more) {
  char options[512];
  tributary_rows* rows = NULL;
  snprintf(options, sizeof options,
           "{\"name\": \"rows\", \"num_rows\": %d, \"dim\": %d%s}", kNodes,
           kWidth, more);
  CHECK_OK(tributary_rows_open(context, options, &rows));
  return rows;
}

/* rows GRAPH: what was set and added to is read. */
static void rows(char** arguments) {
  const struct world world = open_world(arguments[0]);
  tributary_rows* memory = open_rows(world.context, "");
  const int64_t ids[] = {7, 0, 2707}, twice[] = {7, 7};
  const float values[3][kWidth] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  float read[3][kWidth];
  char* json = NULL;
  CHECK_OK(tributary_rows_schema(memory, &json));
  CHECK(strcmp(json, "{\"name\":\"rows\",\"num_rows\":2708,\"dim\":3,"
                     "\"dtype\":\"float32\",\"row_bytes\":12}") == 0);
  tributary_text_free(json);
  CHECK_OK(tributary_rows_set(memory, ids, 3, values, sizeof values));
  CHECK_OK(tributary_rows_add(memory, twice, 2, values, 2 * sizeof values[0]));
  CHECK_OK(tributary_rows_prefetch(memory, ids, 3));
  CHECK_OK(tributary_rows_read(memory, ids, 3, read, sizeof read));
  CHECK(read[0][0] == 6 && read[0][2] == 12);
  CHECK(memcmp(read[1], values[1], 2 * sizeof values[0]) == 0);
  CHECK_OK(tributary_rows_read(memory, NULL, 0, NULL, 0));

  tributary_rows* copy = NULL;
  CHECK_OK(tributary_rows_open(
      world.context, "{\"name\": \"copy\", \"policy\": \"node:node\", "
                     "\"dim\": 3, \"initial\": {\"kind\": \"ones\"}}",
      &copy));
  CHECK_OK(tributary_rows_read(copy, ids, 1, read, sizeof read[0]));
  CHECK(read[0][1] == 1);
  CHECK_OK(tributary_rows_copy(copy, memory));
  CHECK_OK(tributary_rows_read(copy, &ids[1], 1, read, sizeof read[0]));
  CHECK(memcmp(read[0], values[1], sizeof values[1]) == 0);
  CHECK_OK(tributary_rows_drop(copy));
  CHECK_FAILS(tributary_rows_read(copy, ids, 1, read, sizeof read[0]),
              TRIBUTARY_NOT_FOUND, "copy");
  tributary_rows_close(copy);
  /* Rows outlive the handles of what they were opened over. */
  close_world(world);
  CHECK_OK(tributary_rows_read(memory, &ids[1], 1, read, sizeof read[0]));
  CHECK(memcmp(read[0], values[1], sizeof values[1]) == 0);
  tributary_rows_close(memory);
}

/* rounds GRAPH: each row that was pushed is stepped once. */
static void rounds(char** arguments) {
  const struct world world = open_world(arguments[0]);
  tributary_rows* learned = open_rows(world.context, "");
  const tributary_step step = {.learning_rate = 0.5, .scale = 1};
  const int64_t ids[] = {3, 9};
  float gradients[2][kWidth] = {{1, 1, 1}, {2, 2, 2}}, read[2][kWidth];
  int32_t draining = 7;
  char* json = NULL;
  CHECK_FAILS(tributary_rows_push(learned, 0, ids, 2, &gradients[0][0],
                                  sizeof gradients, &step),
              TRIBUTARY_FAILED_PRECONDITION, "no optimizer");
  CHECK_OK(tributary_rows_attach_optimizer(learned, "sgd"));
  for (uint32_t place = 0; place < 2; ++place) {
    CHECK_OK(tributary_rows_push(learned, place, ids, 2, &gradients[0][0],
                                 sizeof gradients, &step));
  }
  CHECK_OK(tributary_context_close_round(world.context));
  CHECK_OK(tributary_rows_read(learned, ids, 2, read, sizeof read));
  CHECK(read[0][0] == -1 && read[1][2] == -2);
  gradients[1][1] = INFINITY;
  CHECK_FAILS(tributary_rows_push(learned, 0, ids, 2, &gradients[0][0],
                                  sizeof gradients, &step),
              TRIBUTARY_OUT_OF_RANGE, "row 9 of rows is inf");
  CHECK_OK(tributary_context_barrier(world.context, "end"));
  CHECK_OK(tributary_context_gather(world.context, "texts", "\"a\"", &json));
  CHECK(strcmp(json, "[\"\\\"a\\\"\"]") == 0);
  tributary_text_free(json);
  CHECK_OK(tributary_context_draining(world.context, &draining));
  CHECK(draining == 0);
  tributary_rows_close(learned);
  CHECK_OK(tributary_context_finish(world.context));
  close_world(world);
}

/* shares GRAPH: of ranks, and sampled edges. */
static void shares(char** arguments) {
  const struct world world = open_world(arguments[0]);
  tributary_graph* graph = NULL;
  tributary_arrays* arrays = NULL;
  tributary_tensor id, dst;
  const int64_t nodes[] = {5, 6, 5};
  const tributary_ids seeds = {"node", nodes, 3};
  char* json = NULL;
  int64_t total = 0;
  CHECK_OK(tributary_graph_open(world.source, NULL, -1, &graph));
  for (int rank = 0; rank < 3; ++rank) {
    char options[64];
    snprintf(options, sizeof options, "{\"rank\": %d, \"world_size\": 3}", rank);
    CHECK_OK(tributary_graph_node_split(graph, NULL, "train", NULL, 0, options,
                                        &arrays));
    CHECK_OK(tributary_arrays_tensor(arrays, "id", &id));
    CHECK(id.shape[0] == 46 || id.shape[0] == 47);
    total += id.shape[0];
    tributary_arrays_close(arrays);
  }
  CHECK(total == 140);
  CHECK_OK(tributary_graph_edge_split(
      graph, NULL, NULL, nodes, 3, "{\"rank\": 0, \"world_size\": 1}", &arrays));
  CHECK_OK(tributary_arrays_tensor(arrays, "id", &id));
  CHECK(id.shape[0] == 2 && ((const int64_t*)id.data)[1] == 6);
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_sample(graph, &seeds, 1, NULL, 0,
                                  "{\"fanout\": 2, \"random_seed\": 9}",
                                  &arrays));
  CHECK_OK(tributary_arrays_tensor(arrays, "dst", &dst));
  CHECK(dst.shape[0] > 0 && dst.shape[0] <= 4);
  for (int64_t i = 0; i < dst.shape[0]; ++i) {
    const int64_t node = ((const int64_t*)dst.data)[i];
    CHECK(node == 5 || node == 6);
  }
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_partitions(graph, &json));
  CHECK(strstr(json, "{\"partition\":1,\"nodes\":{\"node\":") != NULL);
  tributary_text_free(json);
  CHECK_OK(tributary_graph_partition_nodes(graph, NULL, 1, &arrays));
  CHECK_OK(tributary_arrays_tensor(arrays, "id", &id));
  tributary_arrays* parts = NULL;
  CHECK_OK(tributary_graph_node_partitions(graph, NULL, id.data,
                                           (uint64_t)id.shape[0], &parts));
  tributary_tensor part;
  CHECK_OK(tributary_arrays_tensor(parts, "partition", &part));
  for (int64_t i = 0; i < part.shape[0]; ++i) {
    CHECK(((const int64_t*)part.data)[i] == 1);
  }
  tributary_arrays_close(parts);
  tributary_arrays_close(arrays);
  tributary_graph_close(graph);
  close_world(world);
}

/* errors GRAPH: what is wrong is said, and results are NULL. */
static void errors(char** arguments) {
  const tributary_status invalid = TRIBUTARY_INVALID_ARGUMENT;
  struct world world = open_world(arguments[0]);
  tributary_rows* memory = open_rows(world.context, "");
  tributary_context* context = (tributary_context*)&world;
  tributary_rows* none = (tributary_rows*)&world;
  tributary_graph* graph = NULL;
  tributary_arrays* arrays = NULL;
  const int64_t ids[] = {1, kNodes};
  const tributary_ids seeds = {NULL, ids, 1};
  float row[kWidth] = {0};
  char* json = NULL;
  CHECK_OK(tributary_set_log(TRIBUTARY_LOG_OFF, NULL, NULL));
  CHECK_FAILS(tributary_context_open(world.source, "{\"ranks\": 2}", &context),
              invalid, "ranks");
  CHECK(context == NULL);
  CHECK_FAILS(tributary_context_open(world.source, NULL, &context), invalid,
              "options is NULL");
  CHECK_FAILS(tributary_context_open(NULL, "{}", &context), invalid,
              "source is NULL");
  CHECK_FAILS(
      tributary_context_open(world.source, "{\"world_size\": 2}", &context),
      invalid, "remote");
  CHECK_FAILS(tributary_context_barrier(NULL, "a"), invalid, "context is NULL");
  CHECK_FAILS(tributary_context_barrier(world.context, NULL), invalid,
              "name is NULL");
  CHECK_FAILS(tributary_context_gather(world.context, "a", "b", NULL), invalid,
              "json is NULL");
  CHECK_FAILS(tributary_context_save(world.context, NULL), invalid,
              "folder is NULL");
  CHECK(tributary_context_save(world.context, "/proc/none/rows") !=
        TRIBUTARY_OK);
  CHECK(strstr(tributary_last_error(), "/proc/none") != NULL);
  CHECK(tributary_context_restore(world.context, "/proc/none") != TRIBUTARY_OK);
  CHECK_FAILS(tributary_context_draining(world.context, NULL), invalid,
              "draining is NULL");

  CHECK_FAILS(tributary_rows_open(world.context, "{\"name\": \"a\"}", &none),
              invalid, "num_rows");
  CHECK(none == NULL);
  CHECK_FAILS(tributary_rows_open(world.context,
                                  "{\"name\": \"a\", \"num_rows\": 2, "
                                  "\"dtype\": \"text\"}",
                                  &none),
              invalid, "text");
  CHECK_FAILS(tributary_rows_open(world.context,
                                  "{\"name\": \"rows\", \"num_rows\": 2}",
                                  &none),
              TRIBUTARY_ALREADY_EXISTS, "rows");
  CHECK_FAILS(tributary_rows_read(memory, ids, 2, row, 2 * sizeof row),
              TRIBUTARY_OUT_OF_RANGE, "2708");
  CHECK_FAILS(tributary_rows_read(memory, ids, 1, row, 8), invalid,
              "8 bytes for 1 rows of 12");
  CHECK_FAILS(tributary_rows_read(memory, ids, 1, NULL, 12), invalid,
              "values is NULL");
  CHECK_FAILS(tributary_rows_read(memory, NULL, 1, row, 12), invalid,
              "ids is NULL");
  CHECK_FAILS(tributary_rows_set(memory, ids, UINT64_MAX, row, 12), invalid,
              "num_ids");
  CHECK_FAILS(tributary_rows_set(memory, ids, 1, row, UINT64_MAX), invalid,
              "bytes is");
  CHECK_FAILS(tributary_rows_attach_optimizer(memory, "lion"), invalid,
              "\"adagrad\"");
  CHECK_FAILS(tributary_rows_push(memory, 0, ids, 1, row, 12, NULL), invalid,
              "step is NULL");
  CHECK_FAILS(tributary_rows_copy(memory, NULL), invalid, "from is NULL");
  CHECK_FAILS(tributary_rows_schema(memory, NULL), invalid, "json is NULL");
  tributary_context* second = NULL;
  CHECK_OK(tributary_context_open(world.source, "{\"group_name\": \"b\"}",
                                  &second));
  tributary_rows* others = open_rows(second, "");
  CHECK_FAILS(tributary_rows_copy(others, memory), invalid, "another context");
  tributary_rows_close(others);
  tributary_context_close(second);
  CHECK_FAILS(tributary_rows_read(memory, ids, 1, row, 12),
              TRIBUTARY_FAILED_PRECONDITION, "is not open");
  tributary_rows_close(memory);
  tributary_context_close(world.context);
  CHECK_OK(tributary_context_open(world.source, "{}", &world.context));
  memory = open_rows(world.context, "");

  CHECK_OK(tributary_graph_open(world.source, NULL, -1, &graph));
  CHECK_FAILS(tributary_graph_sample(graph, &seeds, 1, NULL, 0, "{}", &arrays),
              invalid, "fanout");
  CHECK_FAILS(tributary_graph_sample(graph, NULL, 1, NULL, 0,
                                     "{\"fanout\": 1}", &arrays),
              invalid, "nodes is NULL");
  CHECK_FAILS(tributary_graph_sample(graph, &seeds, UINT64_MAX, NULL, 0,
                                     "{\"fanout\": 1}", &arrays),
              invalid, "types; allowed");
  CHECK_FAILS(tributary_graph_sample(graph, &seeds, 1, NULL, 0,
                                     "{\"fanout\": {\"to\": 1.5}}", &arrays),
              invalid, "1.5");
  CHECK_FAILS(tributary_graph_sample(graph, &seeds, 1, NULL, 0,
                                     "{\"fanout\": 18446744073709551615}",
                                     &arrays),
              invalid, "18446744073709551615");
  CHECK_FAILS(tributary_graph_node_split(graph, NULL, "train", NULL, 0,
                                         "{\"rank\": 0}", &arrays),
              invalid, "world_size");
  CHECK_FAILS(tributary_graph_partition_edges(graph, NULL, 2, &arrays),
              TRIBUTARY_OUT_OF_RANGE, "2");
  CHECK_FAILS(tributary_graph_edge_partitions(graph, "cites", ids, 1, &arrays),
              invalid, "cites");
  CHECK(arrays == NULL);
  tributary_graph_close(graph);

  CHECK_OK(tributary_context_cancel(world.context));
  CHECK(tributary_rows_read(memory, ids, 1, row, sizeof row) ==
        TRIBUTARY_CANCELLED);
  CHECK(tributary_context_barrier(world.context, "a") == TRIBUTARY_CANCELLED);
  CHECK_OK(tributary_rows_schema(memory, &json)); /* asks no server */
  tributary_text_free(json);
  tributary_rows_close(memory);
  tributary_rows_close(NULL);
  close_world(world);
  tributary_context_close(NULL);
}

enum { kThreads = 4, kTurns = 50, kRows = 100 };

struct writer {
  tributary_rows* rows;
  int64_t first; /* of its rows */
};

/* Writes and reads rows that no other thread has. */
static void* write_rows(void* argument) {
  const struct writer* writer = argument;
  int64_t ids[kRows];
  float values[kRows][kWidth], read[kRows][kWidth];
  for (int i = 0; i < kRows; ++i) ids[i] = writer->first + i;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < kRows; ++i) {
      for (int k = 0; k < kWidth; ++k) {
        values[i][k] = (float)(writer->first + turn + k);
      }
    }
    CHECK_OK(
        tributary_rows_set(writer->rows, ids, kRows, values, sizeof values));
    CHECK_OK(tributary_rows_read(writer->rows, ids, kRows, read, sizeof read));
    CHECK(memcmp(read, values, sizeof values) == 0);
  }
  return NULL;
}

/* threads GRAPH. */
static void threads(char** arguments) {
  const struct world world = open_world(arguments[0]);
  tributary_rows* memory = open_rows(world.context, "");
  pthread_t running[kThreads];
  struct writer writers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    writers[i] = (struct writer){.rows = memory, .first = (int64_t)i * kRows};
    CHECK(pthread_create(&running[i], NULL, write_rows, &writers[i]) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_join(running[i], NULL) == 0);
  }
  tributary_rows_close(memory);
  close_world(world);
}

/* fork GRAPH: the parent's handles are refused by name in a child. */
static void fork_child(char** arguments) {
  const tributary_status code = TRIBUTARY_FAILED_PRECONDITION;
  const struct world world = open_world(arguments[0]);
  tributary_rows* memory = open_rows(world.context, "");
  const int64_t ids[] = {1};
  float row[kWidth];
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_FAILS(tributary_rows_read(memory, ids, 1, row, sizeof row), code,
                "the handle of rows is of process");
    CHECK_FAILS(tributary_context_barrier(world.context, "a"), code,
                "the context is of process");
    tributary_rows_close(memory);
    close_world(world);
    _exit(0); /* what the child could not release is no leak of its own */
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK_OK(tributary_rows_read(memory, ids, 1, row, sizeof row));
  tributary_rows_close(memory);
  close_world(world);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(char** arguments);
  } kCommands[] = {{"rows", rows},     {"rounds", rounds},
                   {"shares", shares}, {"errors", errors},
                   {"threads", threads}, {"fork", fork_child}};
  for (size_t i = 0; i < sizeof kCommands / sizeof kCommands[0]; ++i) {
    if (argc == 3 && strcmp(argv[1], kCommands[i].name) == 0) {
      kCommands[i].run(argv + 2);
      return 0;
    }
  }
  fprintf(stderr, "usage: rows_client COMMAND ARGUMENT\n");
  return 2;
}
