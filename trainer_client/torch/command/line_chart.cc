#include "trainer_client/torch/command/line_chart.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace tributary {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 70;
constexpr double kRight = 700;
constexpr double kPlotHeight = 200;
constexpr double kPanelHeight = 270;  // with title and x axis
constexpr double kHead = 40;          // above the first panel
constexpr double kPlotTop = 30;       // in a panel

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// Returns the smallest 1, 2 or 5 times a power of ten that is at least `value`.
double RoundStep(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Whether a value can be drawn: axes compute with differences.
bool IsDrawn(double value) {
  return std::isfinite(value) && std::fabs(value) <= 1e300;
}

struct Range {
  double low = 0;
  double high = 0;
};

// Returns the range of the values that are drawn; nullopt if there are none.
template <typename Get>
std::optional<Range> RangeOf(const std::vector<ChartLine>& lines, Get get) {
  std::optional<Range> range;
  for (const ChartLine& line : lines) {
    for (const auto& point : line.points) {
      const double value = get(point);
      if (!IsDrawn(value)) continue;
      if (!range) range = {value, value};
      range->low = std::min(range->low, value);
      range->high = std::max(range->high, value);
    }
  }
  return range;
}

// Maps values to positions on the page.
struct Axis {
  std::vector<double> ticks;
  double from = 0;  // the position of the first tick
  double to = 0;    // of the last one

  double At(double value) const {
    return from + (value - ticks.front()) / (ticks.back() - ticks.front()) *
                      (to - from);
  }
};

std::vector<double> WholeTicks(const Range& range) {
  std::vector<double> ticks = AxisTicks(range.low, range.high);
  if (ticks[1] - ticks[0] >= 1) return ticks;
  ticks.clear();
  const double last = std::max(range.high, range.low + 1);
  for (double tick = range.low; tick <= last; tick += 1) ticks.push_back(tick);
  return ticks;
}

// Draws one panel with its upper edge at `top`.
class PanelDrawing {
 public:
  PanelDrawing(const ChartPanel& panel, const Range& x, double top)
      : panel_(panel),
        top_(top + kPlotTop),
        x_{WholeTicks(x), kLeft, kRight},
        y_{AxisTicks(YRange().low, YRange().high), top_ + kPlotHeight, top_} {}

  std::string Draw(const std::string& x_name) {
    absl::StrAppendFormat(
        &svg_, "<text x=\"%g\" y=\"%g\" font-weight=\"bold\">%s</text>\n",
        kLeft, top_ - 10, Escaped(panel_.title));
    DrawXAxis(x_name);
    DrawYAxis();
    DrawLegend();
    for (const ChartLine& line : panel_.lines) DrawLine(line);
    return std::move(svg_);
  }

 private:
  Range YRange() const {
    return RangeOf(panel_.lines, [](const auto& p) { return p.second; })
        .value_or(Range{0, 1});
  }

  void DrawXAxis(const std::string& x_name) {
    const double bottom = top_ + kPlotHeight;
    for (double tick : x_.ticks) {
      absl::StrAppendFormat(&svg_,
                            "<text class=\"x\" x=\"%.2f\" y=\"%g\" "
                            "text-anchor=\"middle\">%g</text>\n",
                            x_.At(tick), bottom + 16, tick);
    }
    absl::StrAppendFormat(
        &svg_, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>\n",
        kRight, bottom + 30, Escaped(x_name));
  }

  void DrawYAxis() {
    for (double tick : y_.ticks) {
      const double y = y_.At(tick);
      absl::StrAppendFormat(&svg_,
                            "<line x1=\"%g\" y1=\"%.2f\" x2=\"%g\" y2=\"%.2f\" "
                            "stroke=\"#ddd\"/>\n",
                            kLeft, y, kRight, y);
      absl::StrAppendFormat(&svg_,
                            "<text class=\"y\" x=\"%g\" y=\"%.2f\" "
                            "text-anchor=\"end\">%g</text>\n",
                            kLeft - 6, y + 4,
                            std::fabs(tick) < 1e-300 ? 0 : tick);
    }
    absl::StrAppendFormat(&svg_,
                          "<path d=\"M%g %g V%g H%g\" fill=\"none\" "
                          "stroke=\"#333\"/>\n",
                          kLeft, top_, top_ + kPlotHeight, kRight);
  }

  void DrawLegend() {
    double x = kLeft + 120;
    for (const ChartLine& line : panel_.lines) {
      absl::StrAppendFormat(
          &svg_,
          "<path d=\"M%g %g h20\" stroke=\"%s\" stroke-width=\"2\"/>"
          "<text class=\"legend\" x=\"%g\" y=\"%g\">%s</text>\n",
          x, top_ - 14, line.color, x + 26, top_ - 10, Escaped(line.name));
      x += 60 + 8 * static_cast<double>(line.name.size());
    }
  }

  void DrawLine(const ChartLine& line) {
    std::string path, circles;
    bool pen_down = false;
    for (const auto& [x, y] : line.points) {
      if (!IsDrawn(y)) {
        pen_down = false;
        continue;
      }
      absl::StrAppendFormat(&path, "%s%.2f %.2f", pen_down ? "L" : "M",
                            x_.At(x), y_.At(y));
      pen_down = true;
      absl::StrAppendFormat(
          &circles,
          "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\"><title>%s %g: "
          "%.6g</title></circle>\n",
          x_.At(x), y_.At(y), Escaped(line.name), x, y);
    }
    if (path.empty()) return;
    absl::StrAppendFormat(&svg_,
                          "<path d=\"%s\" fill=\"none\" stroke=\"%s\" "
                          "stroke-width=\"1.5\"/>\n<g fill=\"%s\">\n%s</g>\n",
                          path, line.color, line.color, circles);
  }

  const ChartPanel& panel_;
  const double top_;  // of the plot
  const Axis x_;
  const Axis y_;
  std::string svg_;
};

}  // namespace

std::vector<double> AxisTicks(double low, double high) {
  constexpr double kIntervals = 5;
  const double largest = std::max(std::fabs(low), std::fabs(high));
  if (high - low <= 1e-9 * largest || high - low < 1e-300) {
    const double margin = largest < 1e-290 ? 1 : largest / 10;
    low -= margin;
    high += margin;
  }
  const double step = RoundStep((high - low) / kIntervals);
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  std::vector<double> ticks;
  for (double i = first; i <= last; i += 1) ticks.push_back(i * step);
  return ticks;
}

std::string DrawChart(const std::string& title, const std::string& x_name,
                      const std::vector<ChartPanel>& panels) {
  std::vector<ChartLine> all;
  for (const ChartPanel& panel : panels) {
    all.insert(all.end(), panel.lines.begin(), panel.lines.end());
  }
  const Range x =
      RangeOf(all, [](const auto& p) { return p.first; }).value_or(Range{0, 1});
  const double height =
      kHead + kPanelHeight * static_cast<double>(panels.size());
  std::string svg = absl::StrFormat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
      "viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
      "<text x=\"%g\" y=\"22\" font-size=\"14\">%s</text>\n",
      kWidth, height, kWidth, height, kLeft, Escaped(title));
  double top = kHead;
  for (const ChartPanel& panel : panels) {
    svg += PanelDrawing(panel, x, top).Draw(x_name);
    top += kPanelHeight;
  }
  return svg + "</svg>\n";
}

}  // namespace tributary
