// Draws lines over the epochs of a run as SVG. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_LINE_CHART_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_LINE_CHART_H_

#include <string>
#include <utility>
#include <vector>

namespace tributary {

// One line of a panel. Values that are not finite, or beyond 1e300, are left
// out; the line has a gap there.
struct ChartLine {
  std::string name;                               // in the legend
  std::string color;                              // an SVG color
  std::vector<std::pair<double, double>> points;  // x ascending
};

// A plot with axes of its own.
struct ChartPanel {
  std::string title;
  std::vector<ChartLine> lines;
};

// Returns the ticks of an axis from `low` to `high`: multiples of 1, 2 or 5
// times a power of ten, 2 to about 7 of them; the first is at most `low`, the
// last at least `high`. Requires -1e300 <= low <= high <= 1e300.
std::vector<double> AxisTicks(double low, double high);

// Returns an SVG document of its own with the panels one below the other: axes
// with ticks, a legend, and each point as a circle with its name and value as
// tooltip. The x axis counts whole numbers.
std::string DrawChart(const std::string& title, const std::string& x_name,
                      const std::vector<ChartPanel>& panels);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_LINE_CHART_H_
