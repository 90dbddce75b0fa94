/* Tributary's client for C and for languages that can call C: batches of
 * sampled neighbourhoods as tensors, and the stored graph by ids.
 *
 *   tributary_source* source;
 *   tributary_loader* loader;
 *   tributary_batch* batch;
 *   tributary_status status;
 *   if (tributary_source_open("{\"mode\": \"collocated\", \"graph\":
 * \"cora4\"}", NULL, NULL, &source) != TRIBUTARY_OK ||
 *       tributary_loader_open(source, "{\"input_nodes\": \"train\", "
 *                             "\"num_neighbors\": [10, 5]}",
 *                             0, 1, &loader) != TRIBUTARY_OK ||
 *       tributary_loader_start_epoch(loader, 0) != TRIBUTARY_OK) {
 *     fprintf(stderr, "%s\n", tributary_last_error());
 *   }
 *   while ((status = tributary_loader_next(loader, -1, &batch)) ==
 *          TRIBUTARY_OK) {
 *     ...
 *     tributary_batch_close(batch);
 *   }
 *
 * docs/c-library.md has a whole program, and what holds for all functions:
 *
 * - A function that can fail returns a status and leaves a text for
 *   tributary_last_error(). A result that is a pointer is NULL then. It neither
 *   ends the process nor lets a C++ exception out.
 * - Texts are UTF-8 and end in a NUL. A char* result is the caller's, who
 *   releases it with tributary_text_free(); a const char* belongs to its
 *   handle.
 * - Handles are closed in any order: what a loader needs of its source lives
 * on, and so does a batch's memory while one of its tensors is held.
 * - Any thread may use any handle. A loader takes one call at a time: another
 *   one meanwhile is FAILED_PRECONDITION, but for cancel and close. A graph
 *   takes any number.
 * - In a child of fork() the handles of its parent are FAILED_PRECONDITION;
 *   closing and releasing them there does nothing.
 */
#ifndef TRIBUTARY_TRAINER_CLIENT_C_TRIBUTARY_H_
#define TRIBUTARY_TRAINER_CLIENT_C_TRIBUTARY_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library of another version must not be
 * used: compare it with tributary_abi_version(). */
#define TRIBUTARY_ABI_VERSION 3
uint32_t tributary_abi_version(void);
/* Returns the version of Tributary, such as "0.1.0". */
const char* tributary_version(void);

/* ---- Status --------------------------------------------------------------*/

/* 0 to 16 are Abseil's and gRPC's codes. */
typedef int32_t tributary_status;
enum {
  TRIBUTARY_OK = 0,
  TRIBUTARY_CANCELLED = 1,
  TRIBUTARY_UNKNOWN = 2,
  TRIBUTARY_INVALID_ARGUMENT = 3,
  TRIBUTARY_DEADLINE_EXCEEDED = 4,
  TRIBUTARY_NOT_FOUND = 5,
  TRIBUTARY_ALREADY_EXISTS = 6,
  TRIBUTARY_PERMISSION_DENIED = 7,
  TRIBUTARY_RESOURCE_EXHAUSTED = 8,
  TRIBUTARY_FAILED_PRECONDITION = 9,
  TRIBUTARY_ABORTED = 10,
  TRIBUTARY_OUT_OF_RANGE = 11,
  TRIBUTARY_UNIMPLEMENTED = 12,
  TRIBUTARY_INTERNAL = 13,
  TRIBUTARY_UNAVAILABLE = 14,
  TRIBUTARY_DATA_LOSS = 15,
  TRIBUTARY_UNAUTHENTICATED = 16,
  /* Of tributary_loader_next() alone; they are no errors. */
  TRIBUTARY_NOT_YET = 100,
  TRIBUTARY_END_OF_EPOCH = 101
};

/* Returns the text of this thread's last error, for its user: what is wrong,
 * where, what is allowed. Valid until the thread's next error; "" before the
 * first. */
const char* tributary_last_error(void);
/* Releases a text that a function has made. NULL is allowed. */
void tributary_text_free(char* text);

/* ---- Log -----------------------------------------------------------------*/

enum {
  TRIBUTARY_LOG_DEBUG = 0,
  TRIBUTARY_LOG_INFO = 1,
  TRIBUTARY_LOG_WARNING = 2,
  TRIBUTARY_LOG_ERROR = 3,
  TRIBUTARY_LOG_OFF = 4
};

/* Receives one line, without a line break, on any thread, on several at once.
 * It must not call this library. */
typedef void (*tributary_log_callback)(void* context, int32_t level,
                                       const char* line);

/* Passes the lines of the whole process from `level` on to `callback`, or to
 * stderr if that is NULL; initially those from WARNING on go to stderr. Returns
 * when no thread is in the callback that was set before. INVALID_ARGUMENT for a
 * level that is none. */
tributary_status tributary_set_log(int32_t level,
                                   tributary_log_callback callback,
                                   void* context);

/* ---- Source --------------------------------------------------------------*/

/* Where batches are made: in this process, in worker processes, by servers. */
typedef struct tributary_source tributary_source;

/* Receives what a loader waits for, when that takes longer than 2 s because of
 * the servers, and then every second; with an empty reason: the wait has ended.
 * `seconds_left` is the time until the wait becomes an error. Runs on a thread
 * of the library until the source and its loaders are closed, and must call no
 * function but tributary_loader_cancel(). */
typedef void (*tributary_wait_callback)(void* context, const char* reason,
                                        double seconds_left);

/* Opens a source of any mode from the JSON of `--worker-options`
 * (docs/modes.md). `on_wait` may be NULL. */
tributary_status tributary_source_open(const char* options,
                                       tributary_wait_callback on_wait,
                                       void* context,
                                       tributary_source** source);
/* Tells servers that were started with --num-clients that this trainer is done,
 * within `timeout_ms`. Does nothing where batches are made locally. */
tributary_status tributary_source_shutdown(tributary_source* source,
                                           int64_t timeout_ms);
/* Closes the source. Its workers end when its last loader is closed. NULL is
 * allowed. */
void tributary_source_close(tributary_source* source);

/* ---- Loader --------------------------------------------------------------*/

/* The batches of one session, epoch by epoch, in ascending index. */
typedef struct tributary_loader tributary_loader;
/* A delivered batch; below. */
typedef struct tributary_batch tributary_batch;

/* Opens a loader of a session of any kind from its JSON
 * (docs/sampling/sessions.md). Of `world` trainers that share the batches, this
 * one takes those of `rank`: rank, rank + world, ...; 0 of 1 takes all. */
tributary_status tributary_loader_open(tributary_source* source,
                                       const char* session, uint32_t rank,
                                       uint32_t world,
                                       tributary_loader** loader);
/* Starts an epoch at its beginning. */
tributary_status tributary_loader_start_epoch(tributary_loader* loader,
                                              uint64_t epoch);
/* Continues an epoch from a text of tributary_loader_cursor(). */
tributary_status tributary_loader_resume(tributary_loader* loader,
                                         const char* cursor);
/* Restricts the current epoch to the batches [from, to); before its first
 * batch. */
tributary_status tributary_loader_limit(tributary_loader* loader, uint64_t from,
                                        uint64_t to);

/* Gives the next batch of this rank, within `timeout_ms`; a negative one: when
 * it is there, which the source's rpc_timeout bounds. NOT_YET: the batch is not
 * there, and stays asked for; the next call takes it. END_OF_EPOCH: there is no
 * batch left. An error stands for one batch, and the next call continues with
 * the batch after it, unless it is CANCELLED. */
tributary_status tributary_loader_next(tributary_loader* loader,
                                       int64_t timeout_ms,
                                       tributary_batch** batch);

/* Gives a descriptor that can be polled for reading (poll, epoll, asyncio's
 * add_reader) while the batch is there that next() has asked for. It is the
 * loader's: neither read nor close it. */
tributary_status tributary_loader_descriptor(tributary_loader* loader, int* fd);

/* Sizes over all ranks: of an epoch, and of the current one, whose batches are
 * [begin_index, end_index), in so many rounds, of which each rank takes one
 * batch in each as long as it has any. 0 before the first epoch. */
typedef struct tributary_loader_sizes {
  uint64_t num_inputs;
  uint64_t num_batches;
  uint64_t begin_index;
  uint64_t end_index;
  uint64_t rounds;
} tributary_loader_sizes;
tributary_status tributary_loader_get_sizes(tributary_loader* loader,
                                            tributary_loader_sizes* sizes);
/* Gives the number of inputs of a batch of the current epoch; 0 outside it. */
tributary_status tributary_loader_inputs_in_batch(tributary_loader* loader,
                                                  uint64_t index,
                                                  uint64_t* inputs);

/* Gives the graph's schema, the JSON of graph.json (docs/graph-format.md). */
tributary_status tributary_loader_schema(tributary_loader* loader, char** json);
/* Gives how far the epoch is consumed when each rank has consumed `batches` of
 * its own since it was started or resumed, as JSON for a checkpoint. */
tributary_status tributary_loader_cursor(tributary_loader* loader,
                                         uint64_t batches, char** json);
/* Gives the counters since the loader was opened: a JSON object of batches,
 * inputs, bytes, left_out and compact (bytes of them that servers did not send:
 * rows that this process holds, and by compact edges), wire_bytes (bytes of
 * them that servers sent), reassigned, hedged, needs, evicted, doubles, waited
 * (seconds) and wait_ratio (0 to 1, of the last minute). */
tributary_status tributary_loader_statistics(tributary_loader* loader,
                                             char** json);

/* Makes the call that waits, and all later ones for batches and epochs, fail
 * with CANCELLED. */
tributary_status tributary_loader_cancel(tributary_loader* loader);
/* Cancels the call that waits, waits for its end, and closes the loader; no
 * other thread may begin a call. NULL is allowed. */
void tributary_loader_close(tributary_loader* loader);

/* ---- Batch ---------------------------------------------------------------*/

enum {
  TRIBUTARY_UINT8 = 1,
  TRIBUTARY_INT8 = 2,
  TRIBUTARY_INT16 = 3,
  TRIBUTARY_INT32 = 4,
  TRIBUTARY_INT64 = 5,
  TRIBUTARY_FLOAT16 = 6,
  TRIBUTARY_BFLOAT16 = 7,
  TRIBUTARY_FLOAT32 = 8,
  TRIBUTARY_FLOAT64 = 9,
  TRIBUTARY_BOOL = 10
};

/* A row-major tensor of a batch or of arrays. Everything that it points to is
 * theirs, and nobody may write to a batch's. */
typedef struct tributary_tensor {
  const char* name;       /* docs/sampling/tensors.md has the names */
  const char* dtype_name; /* as in NumPy: "float32" */
  int32_t dtype;          /* TRIBUTARY_FLOAT32 */
  int32_t ndim;
  const int64_t* shape;   /* ndim numbers of elements */
  const int64_t* strides; /* ndim numbers of elements */
  const void* data;       /* in a batch aligned to 64 bytes, else to 8 */
  uint64_t bytes;
} tributary_tensor;

typedef struct tributary_batch_key {
  uint64_t epoch;
  uint64_t index;   /* in the epoch, over all ranks */
  char session[65]; /* SHA-256 of the specification, in hexadecimal */
  uint64_t num_tensors;
} tributary_batch_key;
tributary_status tributary_batch_get_key(tributary_batch* batch,
                                         tributary_batch_key* key);
/* Gives the SHA-256 of the batch's content (docs/sampling.md) in hexadecimal:
 * the same from any servers, in any mode. */
tributary_status tributary_batch_digest(tributary_batch* batch,
                                        char digest[65]);
/* Gives the tensor with this number, from 0, names ascending. OUT_OF_RANGE. */
tributary_status tributary_batch_tensor_at(tributary_batch* batch,
                                           uint64_t number,
                                           tributary_tensor* tensor);
/* Gives the tensor of this name. NOT_FOUND: the error lists the names. */
tributary_status tributary_batch_tensor(tributary_batch* batch,
                                        const char* name,
                                        tributary_tensor* tensor);

/* The structures of DLPack: include its dlpack.h, or tributary_dlpack.h. */
struct DLManagedTensorVersioned;
struct DLManagedTensor;

/* Exports a tensor by DLPack 1, flagged as read-only; any thread may call its
 * deleter, once. The batch's memory stays until that. */
tributary_status tributary_batch_dlpack(
    tributary_batch* batch, const char* name,
    struct DLManagedTensorVersioned** tensor);
/* The same for consumers that know no version of DLPack. This form cannot say
 * that nobody may write to the tensor. */
tributary_status tributary_batch_dlpack_unversioned(
    tributary_batch* batch, const char* name, struct DLManagedTensor** tensor);

/* Closes the handle. The memory returns to the loader's ring once all exported
 * tensors are deleted, too. NULL is allowed. */
void tributary_batch_close(tributary_batch* batch);

/* ---- Graph ---------------------------------------------------------------*/

/* The stored graph of a source, read by ids (docs/distributed-data.md): the
 * user's ids, by type. A node type may be NULL or "" where there is one; an
 * edge type likewise, else it is "src,rel,dst", or "rel" where that is enough.
 * Any number of threads may call at the same time. */
typedef struct tributary_graph tributary_graph;
/* What a call has read: tensors by name. */
typedef struct tributary_arrays tributary_arrays;

/* Opens the graph that the source has, or the one of this name, NAME or
 * NAME@VERSION, where `name` is neither NULL nor "". `timeout_ms` bounds this
 * call and each later one, 100 to 86400000; a negative one: the source's
 * rpc_timeout. UNAVAILABLE: no server answers; NOT_FOUND: none has it. */
tributary_status tributary_graph_open(tributary_source* source,
                                      const char* name, int64_t timeout_ms,
                                      tributary_graph** graph);

/* Gives the schema, the JSON of graph.json (docs/graph-format.md). */
tributary_status tributary_graph_schema(tributary_graph* graph, char** json);
/* Gives what can be read of nodes and of edges: a JSON object of "nodes" and
 * "edges", objects of lists by type, whose elements have a column's "name",
 * "dtype" and "dim", 0 for one value per row. */
tributary_status tributary_graph_columns(tributary_graph* graph, char** json);

/* Read the rows of a column, in the order of the ids, of which any may come
 * several times: a tensor with the column's name, [num_ids] or [num_ids, dim].
 * Of edges FAILED_PRECONDITION for a graph that was partitioned without
 * --edge-index. NOT_FOUND lists the columns; OUT_OF_RANGE names the id. */
tributary_status tributary_graph_read_nodes(
    tributary_graph* graph, const char* node_type, const char* column,
    const int64_t* node_ids, uint64_t num_ids, tributary_arrays** arrays);
tributary_status tributary_graph_read_edges(
    tributary_graph* graph, const char* edge_type, const char* column,
    const int64_t* edge_ids, uint64_t num_ids, tributary_arrays** arrays);

/* Give the number of edges into or out of each node: "degree", int64
 * [num_ids]. Those out of it need a graph with --degrees, or reverse edges:
 * FAILED_PRECONDITION else. */
tributary_status tributary_graph_in_degrees(tributary_graph* graph,
                                            const char* edge_type,
                                            const int64_t* node_ids,
                                            uint64_t num_ids,
                                            tributary_arrays** arrays);
tributary_status tributary_graph_out_degrees(tributary_graph* graph,
                                             const char* edge_type,
                                             const int64_t* node_ids,
                                             uint64_t num_ids,
                                             tributary_arrays** arrays);

/* Give all edges into or out of the nodes, each node's once however often it
 * is named: "src", "dst" and "e_id", int64 [edges]. Those out of them need
 * reverse edges (--add-reverse, --out-edges): FAILED_PRECONDITION else. */
tributary_status tributary_graph_in_edges(tributary_graph* graph,
                                          const char* edge_type,
                                          const int64_t* node_ids,
                                          uint64_t num_ids,
                                          tributary_arrays** arrays);
tributary_status tributary_graph_out_edges(tributary_graph* graph,
                                           const char* edge_type,
                                           const int64_t* node_ids,
                                           uint64_t num_ids,
                                           tributary_arrays** arrays);

/* Gives the ends of edges: "src" and "dst", int64 [num_ids]. Needs
 * --edge-index. */
tributary_status tributary_graph_find_edges(tributary_graph* graph,
                                            const char* edge_type,
                                            const int64_t* edge_ids,
                                            uint64_t num_ids,
                                            tributary_arrays** arrays);

/* Gives a split in its own order: of a node type "id", int64 [nodes]; of an
 * edge type, which is written out, "src", "dst" and "e_id", int64 [edges],
 * e_id -1 for an edge that the graph lacks. NOT_FOUND lists the splits. */
tributary_status tributary_graph_split(tributary_graph* graph, const char* type,
                                       const char* split,
                                       tributary_arrays** arrays);

/* Ids of one type: of nodes, or of edges. */
typedef struct tributary_ids {
  const char* type; /* as above; NULL or "" where there is one */
  const int64_t* ids;
  uint64_t num_ids;
} tributary_ids;

/* Samples one hop into nodes, each once however often it is named. `options` is
 * a JSON object: "fanout" is how many edges of each type a node gets, or an
 * object of that by edge type, in which types that are left out get none; -1:
 * all. The rest may be left out: "random_seed" and "index" (0), the key of the
 * draws; "replace" (false); "prob" ("": uniform; "weight"); "edge_dir" ("in",
 * "out", "both"); "edge_mask" ("": none). The edges in `excluded` are not
 * returned, as if the graph lacked them; see SampleOptions in
 * trainer_client/graph/sample_options.h for what goes with them. Equal keys,
 * nodes and options give equal edges on every fleet and partitioning.
 *
 * Gives "src", "dst" and "e_id", int64 [edges], of each edge type; in a typed
 * graph with the suffix "/SRC__REL__DST", as tensors of batches have. */
tributary_status tributary_graph_sample(
    tributary_graph* graph, const tributary_ids* nodes, uint64_t num_types,
    const tributary_ids* excluded, uint64_t num_excluded, const char* options,
    tributary_arrays** arrays);

/* Give one rank's share of nodes or of edges: "id", int64 [ids], ascending. Of
 * the split of this name, or, where `split` is NULL or "", of the ids. Every id
 * is in exactly one rank's share, and ranks need not talk. `options` is a JSON
 * object of "rank" and "world_size", and if wanted "force_even" (true: shares
 * differ by at most 1) and "locality" (true: a rank gets what is in its own
 * partitions first). Edges need --edge-index, unless "locality" is false and
 * "force_even" true. */
tributary_status tributary_graph_node_split(
    tributary_graph* graph, const char* node_type, const char* split,
    const int64_t* node_ids, uint64_t num_ids, const char* options,
    tributary_arrays** arrays);
tributary_status tributary_graph_edge_split(
    tributary_graph* graph, const char* edge_type, const char* split,
    const int64_t* edge_ids, uint64_t num_ids, const char* options,
    tributary_arrays** arrays);

/* Gives the partitions: a JSON list of objects of "partition", its number;
 * "nodes" and "edges", their numbers by type; "owners", the addresses of
 * servers that are up. */
tributary_status tributary_graph_partitions(tributary_graph* graph,
                                            char** json);
/* Give the partition of each node or edge: "partition", int64 [num_ids]. Of
 * edges it is that of the destination; needs --edge-index. */
tributary_status tributary_graph_node_partitions(tributary_graph* graph,
                                                 const char* node_type,
                                                 const int64_t* node_ids,
                                                 uint64_t num_ids,
                                                 tributary_arrays** arrays);
tributary_status tributary_graph_edge_partitions(tributary_graph* graph,
                                                 const char* edge_type,
                                                 const int64_t* edge_ids,
                                                 uint64_t num_ids,
                                                 tributary_arrays** arrays);
/* Give the ids of a partition's nodes, and of the edges that end at them: "id",
 * int64, ascending. OUT_OF_RANGE for a partition. */
tributary_status tributary_graph_partition_nodes(tributary_graph* graph,
                                                 const char* node_type,
                                                 uint32_t partition,
                                                 tributary_arrays** arrays);
tributary_status tributary_graph_partition_edges(tributary_graph* graph,
                                                 const char* edge_type,
                                                 uint32_t partition,
                                                 tributary_arrays** arrays);

/* Makes the calls that wait, and all later ones that ask servers, fail with
 * CANCELLED. */
tributary_status tributary_graph_cancel(tributary_graph* graph);
/* Cancels the calls that wait, waits for their end, and closes the graph; no
 * other thread may begin a call. NULL is allowed. */
void tributary_graph_close(tributary_graph* graph);

/* Gives the tensor of this name, which the caller may write to; it is there
 * until the arrays are closed. NOT_FOUND: the error lists the names. */
tributary_status tributary_arrays_tensor(tributary_arrays* arrays,
                                         const char* name,
                                         tributary_tensor* tensor);
/* Closes the handle and releases its memory. NULL is allowed. */
void tributary_arrays_close(tributary_arrays* arrays);

/* ---- Rows on the servers -------------------------------------------------*/

/* The trainers of one run, and the servers that hold its rows
 * (docs/distributed-data.md). All ranks make the same collective calls in the
 * same order; these are marked. One thread at a time is in a collective or in a
 * call of a round: others wait, as long as the timeout allows. */
typedef struct tributary_context tributary_context;
/* A tensor whose rows are on the servers. Any number of threads may read and
 * write it at the same time. */
typedef struct tributary_rows tributary_rows;

/* Opens the group of a run. `options` is a JSON object, of which all may be
 * left out: "rank" (0), "world_size" (1), "group_name" ("default"), "attempt"
 * (0; a larger number at each start of the same run), "timeout" (180; seconds
 * that a call or a collective waits, 0.1 to 86400). With several ranks the mode
 * of the source is remote. A collective. */
tributary_status tributary_context_open(tributary_source* source,
                                        const char* options,
                                        tributary_context** context);
/* Waits for all ranks. DEADLINE_EXCEEDED names those that have not come. A
 * collective. */
tributary_status tributary_context_barrier(tributary_context* context,
                                           const char* name);
/* Gives the texts of all ranks, by rank, as a JSON list of strings. `text`: at
 * most 64 KiB. A collective. */
tributary_status tributary_context_gather(tributary_context* context,
                                          const char* name, const char* text,
                                          char** json);
/* Writes all rows that were ever written, and their optimizers' state, into
 * `folder`, which rank 0 makes: it appears complete or not at all. No rank
 * writes rows meanwhile. ALREADY_EXISTS. A collective. */
tributary_status tributary_context_save(tributary_context* context,
                                        const char* folder);
/* Rows that are opened from now on begin with those of this folder, where it
 * has some of their name. Rank 0 reads it. A collective. */
tributary_status tributary_context_restore(tributary_context* context,
                                           const char* folder);
/* Closes this rank's round of gradients: once all ranks have, each row that was
 * pushed is stepped once. Waits until the servers have what this rank pushed,
 * not for other ranks; reads that come later wait for the whole round. Every
 * rank closes every round, also without a push. */
tributary_status tributary_context_close_round(tributary_context* context);
/* Gives 1 where a server that holds rows wants to end, so that the run should
 * save them and stop, else 0. */
tributary_status tributary_context_draining(tributary_context* context,
                                            int32_t* draining);
/* Ends the run on the servers once all ranks have called it: rows that are not
 * persistent end. A collective. */
tributary_status tributary_context_finish(tributary_context* context);
/* Makes the calls of the context and of its rows that wait, and all later ones,
 * fail with CANCELLED. */
tributary_status tributary_context_cancel(tributary_context* context);
/* Closes the handle, and cancels calls of it that other threads are in. The
 * connections are closed with the last of its rows; a run of one rank ends then
 * on its servers, also without tributary_context_finish(). NULL is allowed. */
void tributary_context_close(tributary_context* context);

/* Creates rows, or finds those of that name. `options` is a JSON object:
 * "name" (1 to 300 bytes); "num_rows", which may be left out where there is a
 * "policy"; "dim" (0: one value per row); "dtype" ("float32"); "policy"
 * ("node:TYPE", "edge:SRC,REL,DST"; "": none); "persistent" (false);
 * "initial", an object of "kind" ("zeros", "ones", "uniform", "normal",
 * "xavier_uniform"), "random_seed" (0), and of uniform "low" and "high", of
 * normal "mean" and "std", of xavier_uniform "gain" (1). ALREADY_EXISTS: it has
 * another shape, dtype, initial value or policy. RESOURCE_EXHAUSTED: it does
 * not fit the servers' memory. A collective. */
tributary_status tributary_rows_open(tributary_context* context,
                                     const char* options,
                                     tributary_rows** rows);
/* Gives what the rows are: a JSON object of "name", "num_rows", "dim", "dtype"
 * and "row_bytes". */
tributary_status tributary_rows_schema(tributary_rows* rows, char** json);

/* Reads rows into `values`, num_ids * row_bytes. OUT_OF_RANGE for an id. */
tributary_status tributary_rows_read(tributary_rows* rows, const int64_t* ids,
                                     uint64_t num_ids, void* values,
                                     uint64_t bytes);
/* Begins to read rows that the next read of the same ids gives. */
tributary_status tributary_rows_prefetch(tributary_rows* rows,
                                         const int64_t* ids, uint64_t num_ids);
/* Set rows, of which the last value of a row that comes twice wins, or add to
 * them, where each does. They are applied once, before the call returns. */
tributary_status tributary_rows_set(tributary_rows* rows, const int64_t* ids,
                                    uint64_t num_ids, const void* values,
                                    uint64_t bytes);
tributary_status tributary_rows_add(tributary_rows* rows, const int64_t* ids,
                                    uint64_t num_ids, const void* values,
                                    uint64_t bytes);

/* Gives float32 rows the state of an optimizer: "sgd", "adagrad", "adam".
 * ALREADY_EXISTS: they have another's. A collective. */
tributary_status tributary_rows_attach_optimizer(tributary_rows* rows,
                                                 const char* kind);
/* The step of a round, equal at all ranks. */
typedef struct tributary_step {
  double learning_rate;
  double eps;   /* of Adagrad and Adam */
  double beta1; /* of Adam */
  double beta2;
  double scale; /* a factor of the summed gradient */
} tributary_step;
/* Stages gradients, float32 [num_ids, dim], in the running round. The ids are
 * distinct and ascending. `place` orders the sum: distinct for each rank and
 * push. Copies the arguments. */
tributary_status tributary_rows_push(tributary_rows* rows, uint32_t place,
                                     const int64_t* ids, uint64_t num_ids,
                                     const float* gradients, uint64_t bytes,
                                     const tributary_step* step);
/* Sets all values to those of rows of the same shape and dtype. A
 * collective. */
tributary_status tributary_rows_copy(tributary_rows* rows,
                                     tributary_rows* from);
/* Ends the rows on the servers. A collective. */
tributary_status tributary_rows_drop(tributary_rows* rows);
/* Waits for calls of other threads, and closes the handle. NULL is allowed. */
void tributary_rows_close(tributary_rows* rows);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TRIBUTARY_TRAINER_CLIENT_C_TRIBUTARY_H_ */
