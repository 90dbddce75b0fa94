// Fuzzes the texts of the C library: any text gives a handle, or a code with a
// text and no handle. The first byte of an input says what it is: 's', a
// session; 'c', a cursor, in which '@' stands for the right order; 'n', a
// tensor's name; 'g', a type, and in the next line a column or a split; 'f',
// the options of a sampling call and of shares; 'o', those of a context; 'r',
// those of rows.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "partition/format/testing/graph_builder.h"
#include "tests/fuzz/must.h"
#include "trainer_client/c/tributary.h"

namespace tributary {
namespace {

// A code of absl's with a text, or success.
bool Decide(tributary_status status) {
  if (status == TRIBUTARY_OK) return true;
  Must(status > TRIBUTARY_OK && status <= TRIBUTARY_UNAUTHENTICATED,
       "an error has a code of Abseil");
  Must(std::strlen(tributary_last_error()) > 0, "an error has a text");
  return false;
}

// A source with a small graph, a loader and a batch of it.
class CWorld {
 public:
  CWorld() {
    GraphSpec spec;
    spec.num_nodes = 6;
    spec.edges = {{1, 0}, {2, 0}, {3, 0}, {0, 1}, {3, 1}, {5, 2}};
    spec.x = {1, 2, 3, 4, 5, 6};
    spec.splits = {{"train", {4, 0, 5, 2}}};
    WriteGraphTo(spec, folder_.File("graph"));
    const std::string options = absl::StrCat(
        R"({"mode": "collocated", "num_threads": 1, "num_rpc_threads": 1,
            "channel_size": "1MiB", "graph": ")",
        folder_.File("graph"), "\"}");
    tributary_set_log(TRIBUTARY_LOG_OFF, nullptr, nullptr);
    Must(Decide(tributary_source_open(options.c_str(), nullptr, nullptr,
                                      &source_)) &&
             Decide(tributary_loader_open(
                 source_, R"({"input_nodes": "train", "num_neighbors": [2]})",
                 0, 1, &loader_)) &&
             Decide(tributary_loader_start_epoch(loader_, 0)) &&
             Decide(tributary_loader_next(loader_, -1, &batch_)) &&
             Decide(tributary_graph_open(source_, nullptr, -1, &graph_)) &&
             Decide(tributary_context_open(source_, "{}", &context_)),
         "the world is there");
    const std::string cursor = CursorNow();
    constexpr std::string_view kOrder = "\"order\":";
    order_ = cursor.substr(cursor.find(kOrder) + kOrder.size());
    order_.pop_back();  // of the object around it
  }

  void Session(const std::string& text) {
    tributary_loader* loader = nullptr;
    const bool opened =
        Decide(tributary_loader_open(source_, text.c_str(), 0, 1, &loader));
    Must(opened == (loader != nullptr), "a handle means success");
    tributary_loader_close(loader);
  }

  void ResumeFrom(const std::string& text) {
    const std::string cursor = absl::StrReplaceAll(text, {{"@", order_}});
    if (!Decide(tributary_loader_resume(loader_, cursor.c_str()))) return;
    const std::string now = CursorNow();
    Must(Decide(tributary_loader_resume(loader_, now.c_str())),
         "a cursor reads back");
    Must(CursorNow() == now, "and is the same");
    tributary_batch* batch = nullptr;
    const tributary_status status = tributary_loader_next(loader_, -1, &batch);
    Must((status == TRIBUTARY_OK) == (batch != nullptr), "a batch, or none");
    Must(status == TRIBUTARY_END_OF_EPOCH || Decide(status),
         "what remains of the epoch can be made");
    tributary_batch_close(batch);
  }

  void Find(const std::string& name) {
    tributary_tensor tensor;
    const bool found =
        Decide(tributary_batch_tensor(batch_, name.c_str(), &tensor));
    Must(found == (tensor.data != nullptr), "a tensor means success");
    Must(!found || name.c_str() == std::string_view(tensor.name),
         "it has the name");
  }

  void SampleGraph(const std::string& text) {
    const std::array<int64_t, 3> ids = {5, 0, 0};
    const tributary_ids nodes = {"node", ids.data(), ids.size()};
    Take([&](tributary_arrays** read) {
      return tributary_graph_sample(graph_, &nodes, 1, nullptr, 0, text.c_str(),
                                    read);
    });
    for (const char* split : {"", "train"}) {
      Take([&](tributary_arrays** read) {
        return tributary_graph_node_split(graph_, nullptr, split, ids.data(),
                                          ids.size(), text.c_str(), read);
      });
    }
  }

  // Another context of the job replaces the one before it.
  void Context(const std::string& text) {
    tributary_context* context = nullptr;
    const bool opened =
        Decide(tributary_context_open(source_, text.c_str(), &context));
    Must(opened == (context != nullptr), "a handle means success");
    if (!opened) return;
    tributary_context_close(context_);
    context_ = context;
  }

  void Rows(const std::string& text) {
    tributary_rows* rows = nullptr;
    const bool opened =
        Decide(tributary_rows_open(context_, text.c_str(), &rows));
    Must(opened == (rows != nullptr), "a handle means success");
    if (!opened) return;
    char* json = nullptr;
    Must(Decide(tributary_rows_schema(rows, &json)), "they have a schema");
    const std::string schema = json;
    tributary_text_free(json);
    constexpr std::string_view kBytes = "\"row_bytes\":";
    const uint64_t bytes =
        std::stoull(schema.substr(schema.find(kBytes) + kBytes.size()));
    std::vector<uint8_t> row(bytes);
    const int64_t first = 0;
    Must(Decide(tributary_rows_read(rows, &first, 1, row.data(), bytes)),
         "there is a first row");
    Must(!Decide(tributary_rows_read(rows, &first, 1, row.data(), bytes + 1)),
         "of that size");
    Must(Decide(tributary_rows_drop(rows)), "they can be dropped");
    tributary_rows_close(rows);
  }

  void ReadGraph(const std::string& text) {
    const size_t end = text.find('\n');
    const std::string type = text.substr(0, end);
    const std::string name =
        end == std::string::npos ? "" : text.substr(end + 1);
    const std::array<int64_t, 2> ids = {5, 0};
    tributary_graph* const graph = graph_;
    Take([&](tributary_arrays** read) {
      return tributary_graph_read_nodes(graph, type.c_str(), name.c_str(),
                                        ids.data(), ids.size(), read);
    });
    Take([&](tributary_arrays** read) {
      return tributary_graph_read_edges(graph, type.c_str(), name.c_str(),
                                        ids.data(), ids.size(), read);
    });
    Take([&](tributary_arrays** read) {
      return tributary_graph_split(graph, type.c_str(), name.c_str(), read);
    });
    Take([&](tributary_arrays** read) {
      return tributary_graph_in_edges(graph, type.c_str(), ids.data(),
                                      ids.size(), read);
    });
    Take([&](tributary_arrays** read) {
      return tributary_graph_in_degrees(graph, type.c_str(), ids.data(),
                                        ids.size(), read);
    });
  }

 private:
  void Take(absl::FunctionRef<tributary_status(tributary_arrays**)> read) {
    tributary_arrays* arrays = nullptr;
    const bool ok = Decide(read(&arrays));
    Must(ok == (arrays != nullptr), "arrays mean success");
    tributary_arrays_close(arrays);
  }

  std::string CursorNow() {
    char* text = nullptr;
    Must(Decide(tributary_loader_cursor(loader_, 0, &text)), "a cursor");
    const std::string copy = text;
    tributary_text_free(text);
    return copy;
  }

  TemporaryFolder folder_;
  tributary_source* source_ = nullptr;
  tributary_loader* loader_ = nullptr;
  tributary_batch* batch_ = nullptr;
  tributary_graph* graph_ = nullptr;
  tributary_context* context_ = nullptr;
  std::string order_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static CWorld* const world = new CWorld;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] == 's') world->Session(text);
  if (data[0] == 'c') world->ResumeFrom(text);
  if (data[0] == 'n') world->Find(text);
  if (data[0] == 'g') world->ReadGraph(text);
  if (data[0] == 'f') world->SampleGraph(text);
  if (data[0] == 'o') world->Context(text);
  if (data[0] == 'r') world->Rows(text);
  return 0;
}

}  // namespace tributary
