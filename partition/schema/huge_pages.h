// Whether a server copies a graph into huge pages: option --huge-pages.
#ifndef TRIBUTARY_PARTITION_SCHEMA_HUGE_PAGES_H_
#define TRIBUTARY_PARTITION_SCHEMA_HUGE_PAGES_H_

namespace tributary {

// Arrays that are mapped lie in small pages: nearly each read of a random place
// looks its page up in memory, too.
enum class HugePages {
  kOff,      // arrays are mapped from their files
  kAuto,     // copied where there is memory, into huge pages as far as the
             // system makes some
  kRequire,  // copied into pages that the system has reserved (hugetlbfs)
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_HUGE_PAGES_H_
