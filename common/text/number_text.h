// Writes numbers so that they read back as the same value.
#ifndef TRIBUTARY_COMMON_TEXT_NUMBER_TEXT_H_
#define TRIBUTARY_COMMON_TEXT_NUMBER_TEXT_H_

#include <string>

namespace tributary {

// Returns the shortest text that ParseNumber<double> reads as the same number:
// "0.15"; with an exponent below 1e-6 and from 1e15 on.
std::string NumberText(double number);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_NUMBER_TEXT_H_
