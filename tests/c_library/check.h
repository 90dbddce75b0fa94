/* Checks in C programs on libtributary.so. */
#ifndef TRIBUTARY_TESTS_C_LIBRARY_CHECK_H_
#define TRIBUTARY_TESTS_C_LIBRARY_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

#include "trainer_client/c/tributary.h"

/* Ends the process with 1 and a line on stderr unless the condition holds. */
#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "%s:%d: not %s; last error: %s\n", __FILE__, __LINE__, \
              #condition, tributary_last_error());                           \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

#define CHECK_OK(call) CHECK((call) == TRIBUTARY_OK)

#endif /* TRIBUTARY_TESTS_C_LIBRARY_CHECK_H_ */
