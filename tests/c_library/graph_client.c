/* A program in C that reads the stored graph by libtributary.so: each command
 * checks one part of the interface, and ends with 1 and a line on stderr where
 * it finds a fault. */
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

enum { kNodes = 2708, kEdges = 10556, kWidth = 1433 }; /* of Cora */

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

/* Of a folder's source, which may be closed at once. */
static tributary_graph* open_graph(const char* folder) {
  tributary_source* source = open_source(folder);
  tributary_graph* graph = NULL;
  CHECK_OK(tributary_graph_open(source, NULL, -1, &graph));
  tributary_source_close(source);
  return graph;
}

static tributary_tensor tensor_of(tributary_arrays* arrays, const char* name) {
  tributary_tensor tensor;
  CHECK_OK(tributary_arrays_tensor(arrays, name, &tensor));
  CHECK(strcmp(tensor.name, name) == 0);
  return tensor;
}

/* int64 [count], until the arrays are closed. */
static const int64_t* numbers_of(tributary_arrays* arrays, const char* name,
                                 int64_t count) {
  const tributary_tensor tensor = tensor_of(arrays, name);
  CHECK(tensor.dtype == TRIBUTARY_INT64 && tensor.ndim == 1);
  CHECK(tensor.shape[0] == count && tensor.strides[0] == 1);
  CHECK(tensor.bytes == (uint64_t)count * sizeof(int64_t));
  return tensor.data;
}

static int64_t* all_ids(int64_t count) {
  int64_t* ids = malloc((size_t)count * sizeof *ids);
  CHECK(ids != NULL);
  for (int64_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

/* Rows that are read by id are those of a batch. */
static void check_rows(tributary_graph* graph, tributary_source* source) {
  tributary_loader* loader = NULL;
  tributary_batch* batch = NULL;
  tributary_arrays* arrays = NULL;
  tributary_tensor n_id, expected;
  CHECK_OK(tributary_loader_open(source,
                                 "{\"input_nodes\": \"train\", "
                                 "\"num_neighbors\": [4], \"batch_size\": 32}",
                                 0, 1, &loader));
  CHECK_OK(tributary_loader_start_epoch(loader, 0));
  CHECK_OK(tributary_loader_next(loader, -1, &batch));
  CHECK_OK(tributary_batch_tensor(batch, "n_id", &n_id));
  CHECK_OK(tributary_batch_tensor(batch, "x", &expected));
  CHECK_OK(tributary_graph_read_nodes(graph, "node", "x", n_id.data,
                                      (uint64_t)n_id.shape[0], &arrays));
  const tributary_tensor x = tensor_of(arrays, "x");
  CHECK(x.dtype == TRIBUTARY_FLOAT32 && strcmp(x.dtype_name, "float32") == 0);
  CHECK(x.ndim == 2 && x.shape[0] == n_id.shape[0] && x.shape[1] == kWidth);
  CHECK(x.strides[0] == kWidth && x.strides[1] == 1);
  CHECK(x.bytes == expected.bytes);
  CHECK(memcmp(x.data, expected.data, x.bytes) == 0);
  tributary_arrays_close(arrays);
  tributary_batch_close(batch);
  tributary_loader_close(loader);
}

/* Ends, degrees and edges of nodes tell of the same edges. */
static void check_edges(tributary_graph* graph) {
  int64_t *nodes = all_ids(kNodes), *edges = all_ids(kEdges);
  tributary_arrays *in = NULL, *ends = NULL, *degrees = NULL;
  CHECK_OK(tributary_graph_in_edges(graph, NULL, nodes, kNodes, &in));
  CHECK_OK(tributary_graph_find_edges(graph, "to", edges, kEdges, &ends));
  const int64_t* e_id = numbers_of(in, "e_id", kEdges);
  const int64_t *src = numbers_of(ends, "src", kEdges),
                *dst = numbers_of(ends, "dst", kEdges);
  int64_t in_count[kNodes] = {0}, out_count[kNodes] = {0};
  for (int64_t i = 0; i < kEdges; ++i) {
    CHECK(numbers_of(in, "src", kEdges)[i] == src[e_id[i]]);
    CHECK(numbers_of(in, "dst", kEdges)[i] == dst[e_id[i]]);
    ++in_count[dst[i]];
    ++out_count[src[i]];
  }
  CHECK_OK(tributary_graph_in_degrees(graph, "node,to,node", nodes, kNodes,
                                      &degrees));
  CHECK(memcmp(numbers_of(degrees, "degree", kNodes), in_count,
               sizeof in_count) == 0);
  tributary_arrays_close(degrees);
  CHECK_OK(tributary_graph_out_degrees(graph, "", nodes, kNodes, &degrees));
  CHECK(memcmp(numbers_of(degrees, "degree", kNodes), out_count,
               sizeof out_count) == 0);
  tributary_arrays_close(degrees);
  tributary_arrays_close(in);
  tributary_arrays_close(ends);
  free(nodes);
  free(edges);
}

/* values GRAPH. */
static void values(char** arguments) {
  tributary_source* source = open_source(arguments[0]);
  tributary_graph* graph = NULL;
  tributary_arrays *split = NULL, *ids = NULL;
  char* json = NULL;
  CHECK_OK(tributary_graph_open(source, "", 60000, &graph));
  CHECK_OK(tributary_graph_schema(graph, &json));
  CHECK(strstr(json, "\"num_nodes\":2708") != NULL);
  tributary_text_free(json);
  CHECK_OK(tributary_graph_columns(graph, &json));
  CHECK(strstr(json, "{\"name\":\"x\",\"dtype\":\"float32\",\"dim\":1433}") !=
        NULL);
  CHECK(strstr(json, "\"node,to,node\":[{\"name\":\"id\",") != NULL);
  tributary_text_free(json);
  check_rows(graph, source);
  check_edges(graph);
  CHECK_OK(tributary_graph_split(graph, NULL, "train", &split));
  CHECK(numbers_of(split, "id", 140)[139] == 139);
  tributary_arrays_close(split);

  const int64_t some[] = {10555, 0, 0};
  CHECK_OK(tributary_graph_read_edges(graph, NULL, "id", some, 3, &ids));
  CHECK(memcmp(numbers_of(ids, "id", 3), some, sizeof some) == 0);
  CHECK_OK(tributary_graph_read_nodes(graph, NULL, "x", NULL, 0, &split));
  tributary_graph_close(graph);
  tributary_source_close(source);
  /* Arrays outlive both. */
  CHECK(numbers_of(ids, "id", 3)[0] == some[0]);
  CHECK(tensor_of(split, "x").shape[0] == 0);
  tributary_arrays_close(ids);
  tributary_arrays_close(split);
}

/* directed GRAPH: of the edges 1-0, 2-0, 3-0, 0-1, 3-1, 5-2 and six nodes. */
static void directed(char** arguments) {
  const int64_t nodes[] = {0, 1, 2, 3, 4, 5}, some[] = {5, 3, 3};
  const int64_t in[] = {3, 2, 1, 0, 0, 0}, out[] = {1, 1, 1, 2, 0, 1};
  const int64_t src[] = {5, 0, 0}, dst[] = {2, 1, 1};
  tributary_graph* graph = open_graph(arguments[0]);
  tributary_arrays* arrays = NULL;
  CHECK_OK(tributary_graph_in_degrees(graph, NULL, nodes, 6, &arrays));
  CHECK(memcmp(numbers_of(arrays, "degree", 6), in, sizeof in) == 0);
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_out_degrees(graph, NULL, nodes, 6, &arrays));
  CHECK(memcmp(numbers_of(arrays, "degree", 6), out, sizeof out) == 0);
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_find_edges(graph, NULL, some, 3, &arrays));
  CHECK(memcmp(numbers_of(arrays, "src", 3), src, sizeof src) == 0);
  CHECK(memcmp(numbers_of(arrays, "dst", 3), dst, sizeof dst) == 0);
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_in_edges(graph, NULL, &some[0], 1, &arrays));
  numbers_of(arrays, "e_id", 0); /* none ends at node 5 */
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_in_edges(graph, NULL, &dst[0], 1, &arrays));
  CHECK(numbers_of(arrays, "e_id", 1)[0] == 5);
  CHECK(numbers_of(arrays, "src", 1)[0] == 5);
  CHECK(numbers_of(arrays, "dst", 1)[0] == 2);
  tributary_arrays_close(arrays);
  tributary_graph_close(graph);
}

/* errors GRAPH: what is wrong is said, and results are NULL. */
static void errors(char** arguments) {
  const tributary_status invalid = TRIBUTARY_INVALID_ARGUMENT;
  tributary_source* source = open_source(arguments[0]);
  tributary_graph* graph = (tributary_graph*)&source;
  tributary_arrays* arrays = (tributary_arrays*)&source;
  tributary_tensor tensor;
  char* json = NULL;
  const int64_t ids[] = {3, kNodes}, minus[] = {-1};
  CHECK_OK(tributary_set_log(TRIBUTARY_LOG_OFF, NULL, NULL));
  CHECK_FAILS(tributary_graph_open(NULL, NULL, -1, &graph), invalid,
              "source is NULL");
  CHECK(graph == NULL);
  CHECK_FAILS(tributary_graph_open(source, NULL, -1, NULL), invalid,
              "graph is NULL");
  CHECK_FAILS(tributary_graph_open(source, NULL, 99, &graph), invalid,
              "timeout_ms is 99; allowed: 100 to 86400000");
  CHECK_FAILS(tributary_graph_open(source, NULL, INT64_MAX, &graph), invalid,
              "timeout_ms");
  CHECK_FAILS(tributary_graph_open(source, "citations", 1000, &graph),
              TRIBUTARY_NOT_FOUND, "citations");
  CHECK_OK(tributary_graph_open(source, NULL, -1, &graph));
  CHECK_FAILS(tributary_graph_schema(graph, NULL), invalid, "json is NULL");
  CHECK_FAILS(tributary_graph_columns(NULL, &json), invalid, "graph is NULL");

  CHECK_FAILS(tributary_graph_read_nodes(graph, NULL, "x", ids, 2, &arrays),
              TRIBUTARY_OUT_OF_RANGE, "no node 2708");
  CHECK(arrays == NULL);
  CHECK_FAILS(tributary_graph_read_nodes(graph, NULL, "x", minus, 1, &arrays),
              TRIBUTARY_OUT_OF_RANGE, "no node -1");
  CHECK_FAILS(tributary_graph_read_nodes(graph, NULL, "z", ids, 1, &arrays),
              TRIBUTARY_NOT_FOUND, "no column 'z'; there are: ");
  CHECK_FAILS(tributary_graph_read_nodes(graph, NULL, NULL, ids, 1, &arrays),
              invalid, "column is NULL");
  CHECK_FAILS(tributary_graph_read_nodes(graph, "paper", "x", ids, 1, &arrays),
              invalid, "paper");
  CHECK_FAILS(tributary_graph_read_nodes(graph, NULL, "x", NULL, 1, &arrays),
              invalid, "node_ids is NULL");
  CHECK_FAILS(
      tributary_graph_read_nodes(graph, NULL, "x", ids, UINT64_MAX, &arrays),
      invalid, "num_ids is 18446744073709551615");
  CHECK_FAILS(tributary_graph_read_nodes(graph, NULL, "x", ids, 1, NULL),
              invalid, "arrays is NULL");
  CHECK_FAILS(
      tributary_graph_read_edges(graph, NULL, "weight", ids, 1, &arrays),
      TRIBUTARY_NOT_FOUND, "no column 'weight'");
  CHECK_FAILS(tributary_graph_find_edges(graph, "cites", ids, 1, &arrays),
              invalid, "cites");
  CHECK_FAILS(tributary_graph_in_degrees(graph, NULL, ids, 2, &arrays),
              TRIBUTARY_OUT_OF_RANGE, "no node 2708");
  CHECK(tributary_graph_out_edges(graph, NULL, ids, 1, &arrays) !=
        TRIBUTARY_OK); /* the folder has no reverse edges */
  CHECK(strstr(tributary_last_error(), "--out-edges") != NULL);
  CHECK_FAILS(tributary_graph_split(graph, NULL, "half", &arrays),
              TRIBUTARY_NOT_FOUND, "train");
  CHECK_FAILS(tributary_graph_split(graph, "a,b,c", "train", &arrays), invalid,
              "a,b,c");
  CHECK_FAILS(tributary_graph_split(graph, NULL, NULL, &arrays), invalid,
              "split is NULL");

  CHECK_OK(tributary_graph_in_degrees(graph, NULL, ids, 1, &arrays));
  CHECK_FAILS(tributary_arrays_tensor(arrays, "degrees", &tensor),
              TRIBUTARY_NOT_FOUND, "it has degree");
  CHECK(tensor.data == NULL);
  CHECK_FAILS(tributary_arrays_tensor(arrays, NULL, &tensor), invalid,
              "name is NULL");
  CHECK_FAILS(tributary_arrays_tensor(NULL, "degree", &tensor), invalid,
              "arrays is NULL");
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_cancel(graph));
  CHECK(tributary_graph_in_degrees(graph, NULL, ids, 1, &arrays) ==
        TRIBUTARY_CANCELLED);
  CHECK_OK(tributary_graph_schema(graph, &json)); /* asks no server */
  tributary_text_free(json);
  tributary_graph_close(graph);
  tributary_graph_close(NULL);
  tributary_arrays_close(NULL);
  tributary_source_close(source);
}

enum { kThreads = 4, kTurns = 50, kRows = 100 };

struct reader {
  tributary_graph* graph;
  int64_t first; /* of its nodes */
};

/* Reads rows that no other thread reads, each twice. */
static void* read_rows(void* argument) {
  const struct reader* reader = argument;
  int64_t ids[2 * kRows];
  for (int i = 0; i < 2 * kRows; ++i) ids[i] = reader->first + i % kRows;
  for (int turn = 0; turn < kTurns; ++turn) {
    tributary_arrays *rows = NULL, *edges = NULL;
    CHECK_OK(tributary_graph_read_nodes(reader->graph, NULL, "x", ids,
                                        2 * kRows, &rows));
    const char* x = tensor_of(rows, "x").data;
    const size_t half = kRows * kWidth * sizeof(float);
    CHECK(memcmp(x, x + half, half) == 0);
    tributary_arrays_close(rows);
    CHECK_OK(tributary_graph_in_edges(reader->graph, NULL, ids, kRows, &edges));
    const tributary_tensor dst = tensor_of(edges, "dst");
    for (int64_t i = 0; i < dst.shape[0]; ++i) {
      const int64_t node = ((const int64_t*)dst.data)[i];
      CHECK(node >= reader->first && node < reader->first + kRows);
    }
    tributary_arrays_close(edges);
  }
  return NULL;
}

/* threads GRAPH. */
static void threads(char** arguments) {
  tributary_graph* graph = open_graph(arguments[0]);
  pthread_t running[kThreads];
  struct reader readers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    readers[i] = (struct reader){.graph = graph, .first = (int64_t)i * kRows};
    CHECK(pthread_create(&running[i], NULL, read_rows, &readers[i]) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_join(running[i], NULL) == 0);
  }
  tributary_graph_close(graph);
}

/* Exits with 0 if the parent's handles are refused by name. */
static void use_in_child(tributary_graph* graph, tributary_arrays* arrays) {
  const tributary_status code = TRIBUTARY_FAILED_PRECONDITION;
  const int64_t ids[] = {1};
  tributary_arrays* read = NULL;
  tributary_tensor tensor;
  CHECK_FAILS(tributary_graph_in_degrees(graph, NULL, ids, 1, &read), code,
              "the graph is of process");
  CHECK_FAILS(tributary_graph_cancel(graph), code, "after a fork()");
  CHECK_FAILS(tributary_arrays_tensor(arrays, "degree", &tensor), code,
              "the set of arrays is of process");
  tributary_arrays_close(arrays);
  tributary_graph_close(graph);
  _exit(0); /* what the child could not release is no leak of its own */
}

/* fork GRAPH. */
static void fork_child(char** arguments) {
  tributary_graph* graph = open_graph(arguments[0]);
  tributary_arrays* arrays = NULL;
  const int64_t ids[] = {0, 1};
  CHECK_OK(tributary_graph_in_degrees(graph, NULL, ids, 2, &arrays));
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) use_in_child(graph, arrays);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(numbers_of(arrays, "degree", 2)[0] > 0); /* the parent goes on */
  tributary_arrays_close(arrays);
  CHECK_OK(tributary_graph_in_degrees(graph, NULL, ids, 2, &arrays));
  tributary_arrays_close(arrays);
  tributary_graph_close(graph);
}

struct waiter {
  tributary_graph* graph;
  tributary_status status;
};

static void* wait_for_rows(void* argument) {
  struct waiter* waiter = argument;
  const int64_t ids[] = {1, 2, 3};
  tributary_arrays* arrays = NULL;
  waiter->status =
      tributary_graph_read_nodes(waiter->graph, NULL, "x", ids, 3, &arrays);
  CHECK(arrays == NULL);
  return NULL;
}

/* A line of the program that drives this one. */
static void await_line(void) {
  char line[16];
  CHECK(fgets(line, sizeof line, stdin) != NULL);
}

/* ends ADDRESS: of a server, which is stopped between the two lines: a deadline
 * and a cancel end waits. */
static void ends(char** arguments) {
  char options[4096];
  tributary_source* source = NULL;
  tributary_graph* graphs[2] = {NULL, NULL};
  struct waiter waiters[2];
  pthread_t running[2];
  snprintf(options, sizeof options,
           "{\"mode\": \"remote\", \"servers\": \"%s\"}", arguments[0]);
  CHECK_OK(tributary_source_open(options, NULL, NULL, &source));
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(
        tributary_graph_open(source, NULL, i == 0 ? 1000 : -1, &graphs[i]));
  }
  puts("opened");
  fflush(stdout);
  await_line();
  for (int i = 0; i < 2; ++i) {
    waiters[i] = (struct waiter){.graph = graphs[i]};
    CHECK(pthread_create(&running[i], NULL, wait_for_rows, &waiters[i]) == 0);
  }
  CHECK(pthread_join(running[0], NULL) == 0);
  CHECK(waiters[0].status == TRIBUTARY_DEADLINE_EXCEEDED);
  CHECK_OK(tributary_graph_cancel(graphs[1])); /* it waits for a second now */
  CHECK(pthread_join(running[1], NULL) == 0);
  CHECK(waiters[1].status == TRIBUTARY_CANCELLED);
  puts("ended");
  fflush(stdout);
  await_line();
  for (int i = 0; i < 2; ++i) tributary_graph_close(graphs[i]);
  tributary_source_close(source);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(char** arguments);
  } kCommands[] = {{"values", values},   {"directed", directed},
                   {"errors", errors},   {"threads", threads},
                   {"fork", fork_child}, {"ends", ends}};
  for (size_t i = 0; i < sizeof kCommands / sizeof kCommands[0]; ++i) {
    if (argc == 3 && strcmp(argv[1], kCommands[i].name) == 0) {
      kCommands[i].run(argv + 2);
      return 0;
    }
  }
  fprintf(stderr, "usage: graph_client COMMAND ARGUMENT\n");
  return 2;
}
