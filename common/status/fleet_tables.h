// The tables of a fleet's status: the same cells on the page and in a terminal.
#ifndef TRIBUTARY_COMMON_STATUS_FLEET_TABLES_H_
#define TRIBUTARY_COMMON_STATUS_FLEET_TABLES_H_

#include <string>
#include <vector>

#include "common/status/fleet_status.h"

namespace tributary {

struct StatusColumn {
  std::string name;
  bool number = false;     // aligned to the right
  bool page_only = false;  // a terminal has no room for it
  bool cut_first = false;  // in a terminal, where a line is too long
};

struct StatusTable {
  std::string title;
  std::vector<StatusColumn> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column
  std::string more;  // what was left out: "and 800 more"; empty: nothing
};

// At most so many rows are made of each table.
struct TableLimits {
  size_t rows = 200;
  size_t owners = 8;  // named in one row
  size_t runs = 32;   // of partitions in one row
};

// The first cell of each row names it. Cells are not escaped.
StatusTable ServerTable(const FleetStatus& fleet, const TableLimits& limits);
StatusTable PartitionTable(const FleetStatus& fleet, const TableLimits& limits);
StatusTable JobTable(const FleetStatus& fleet, const TableLimits& limits);

// Returns "2 servers (1 silent), 1 of 2 partitions without an owner, 1 job, 2
// troubles"; for a trainer its job's name.
std::string SummaryOf(const FleetStatus& fleet);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_FLEET_TABLES_H_
