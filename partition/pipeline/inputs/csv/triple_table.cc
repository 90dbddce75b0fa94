#include "partition/pipeline/inputs/csv/triple_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/csv/spooled_values.h"
#include "partition/pipeline/inputs/text/csv_rows.h"
#include "partition/pipeline/inputs/text/line_reader.h"
#include "partition/source/ranges_column.h"
#include "partition/source/spool_name.h"

namespace tributary {
namespace {

// Triples that are sorted by relation at a time.
constexpr size_t kBlock = size_t{1} << 20;

struct Triple {
  int64_t head, relation, tail;
};

absl::StatusOr<Triple> ParseTriple(const LineReader& in, absl::string_view line,
                                   int64_t num_nodes, int64_t num_relations) {
  if (const int64_t columns = CountColumns(line); columns != 3) {
    return in.ErrorHere(
        absl::StrCat(columns, " cells; allowed: 3, \"head,relation,tail\""));
  }
  Triple triple{};
  ASSIGN_OR_RETURN(triple.head,
                   ParseBoundedId(in, TakeCell(&line), num_nodes, "node"));
  ASSIGN_OR_RETURN(triple.relation, ParseBoundedId(in, TakeCell(&line),
                                                   num_relations, "relation"));
  ASSIGN_OR_RETURN(triple.tail, ParseBoundedId(in, line, num_nodes, "node"));
  return triple;
}

template <typename Add>
absl::Status ForEachTriple(const std::string& path, int64_t num_nodes,
                           int64_t num_relations, InputProgress* progress,
                           Add add) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path, progress));
  absl::string_view line;
  while (in.Next(&line)) {
    ASSIGN_OR_RETURN(const Triple triple,
                     ParseTriple(in, line, num_nodes, num_relations));
    RETURN_IF_ERROR(add(triple));
  }
  return in.status();
}

// The columns of a file's triples. Each block of the file is sorted by
// relation, stably.
struct TripleColumns {
  ColumnPtr from, to, relation;
};

class TripleSpooler {
 public:
  TripleSpooler(const Spool& spool, const std::string& path)
      : from_(spool, SpoolName(path, "heads")),
        to_(spool, SpoolName(path, "tails")),
        relation_(spool, SpoolName(path, "relations")) {}

  absl::Status Begin(const TripleColumns& finished) {
    RETURN_IF_ERROR(from_.Begin({DType::kInt64, 0}, finished.from));
    RETURN_IF_ERROR(to_.Begin({DType::kInt64, 0}, finished.to));
    return relation_.Begin({DType::kInt64, 0}, finished.relation);
  }
  absl::Status Add(const Triple& triple) {
    block_.push_back(triple);
    return block_.size() < kBlock ? absl::OkStatus() : Flush();
  }
  absl::StatusOr<TripleColumns> Finish() {
    RETURN_IF_ERROR(Flush());
    TripleColumns columns;
    ASSIGN_OR_RETURN(columns.from, from_.Finish());
    ASSIGN_OR_RETURN(columns.to, to_.Finish());
    // Last: who finds this column finds the others.
    ASSIGN_OR_RETURN(columns.relation, relation_.Finish());
    return columns;
  }

 private:
  absl::Status Flush() {
    std::stable_sort(block_.begin(), block_.end(),
                     [](const Triple& a, const Triple& b) {
                       return a.relation < b.relation;
                     });
    for (const Triple& triple : block_) {
      from_.Add(triple.head);
      to_.Add(triple.tail);
      relation_.Add(triple.relation);
      for (auto* column : {&from_, &to_, &relation_}) {
        RETURN_IF_ERROR(column->EndRow());
      }
    }
    block_.clear();
    return absl::OkStatus();
  }

  SpooledValues<int64_t> from_, to_, relation_;
  std::vector<Triple> block_;
};

absl::StatusOr<TripleColumns> SpoolTriples(const std::string& path,
                                           int64_t num_nodes,
                                           int64_t num_relations,
                                           const Spool& spool) {
  TripleColumns found;
  ASSIGN_OR_RETURN(found.from, spool.Find(SpoolName(path, "heads")));
  ASSIGN_OR_RETURN(found.to, spool.Find(SpoolName(path, "tails")));
  ASSIGN_OR_RETURN(found.relation, spool.Find(SpoolName(path, "relations")));
  if (found.from != nullptr && found.to != nullptr &&
      found.relation != nullptr) {
    spool.Advance(path, InputProgress::kAll);
    return found;
  }
  TripleSpooler spooler(spool, path);
  RETURN_IF_ERROR(spooler.Begin(found));
  RETURN_IF_ERROR(
      ForEachTriple(path, num_nodes, num_relations, spool.progress(),
                    [&](const Triple& triple) { return spooler.Add(triple); }));
  return spooler.Finish();
}

// Returns where the rows of each relation are.
absl::StatusOr<std::vector<std::vector<RowRange>>> RangesByRelation(
    const Column& relation, int64_t num_relations) {
  std::vector<std::vector<RowRange>> ranges(num_relations);
  std::vector<int64_t> block(
      std::min<size_t>(kBlock, static_cast<size_t>(relation.num_rows())));
  int64_t last = -1;
  for (int64_t row = 0; row < relation.num_rows();) {
    const auto count = std::min<int64_t>(static_cast<int64_t>(block.size()),
                                         relation.num_rows() - row);
    RETURN_IF_ERROR(
        relation.Read(row, count, reinterpret_cast<uint8_t*>(block.data())));
    for (int64_t i = 0; i < count; ++i, ++row) {
      const int64_t k = block[i];
      if (k < 0 || k >= num_relations) {
        return absl::DataLossError(absl::StrCat(
            relation.Where(row), ": ", k, " is no relation; remove the file"));
      }
      if (k != last) ranges[k].push_back({row, 0});
      last = k;
      ++ranges[k].back().count;
    }
  }
  return ranges;
}

}  // namespace

absl::StatusOr<std::vector<EndColumns>> ReadTripleTable(const std::string& path,
                                                        int64_t num_nodes,
                                                        int64_t num_relations,
                                                        const Spool& spool) {
  ASSIGN_OR_RETURN(const TripleColumns all,
                   SpoolTriples(path, num_nodes, num_relations, spool));
  ASSIGN_OR_RETURN(auto ranges, RangesByRelation(*all.relation, num_relations));
  std::vector<EndColumns> by_relation;
  for (std::vector<RowRange>& rows : ranges) {
    by_relation.push_back(
        {std::make_shared<RangesColumn>(all.from, rows),
         std::make_shared<RangesColumn>(all.to, std::move(rows))});
  }
  return by_relation;
}

absl::StatusOr<std::vector<CsvEdgeEnds>> ReadTripleList(const std::string& path,
                                                        int64_t num_nodes,
                                                        int64_t num_relations) {
  std::vector<CsvEdgeEnds> triples(num_relations);
  const auto add = [&](const Triple& triple) {
    triples[triple.relation].from.push_back(triple.head);
    triples[triple.relation].to.push_back(triple.tail);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachTriple(path, num_nodes, num_relations, nullptr, add));
  return triples;
}

}  // namespace tributary
