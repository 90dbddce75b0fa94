// Figures for operators, in the text format that Prometheus scrapes.
#ifndef TRIBUTARY_COMMON_OBSERVE_METRICS_H_
#define TRIBUTARY_COMMON_OBSERVE_METRICS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace tributary {

// Handles to metrics: cheap to copy, thread-safe, valid while their Metrics
// live. One made by its default constructor does nothing.
class Counter {
 public:
  Counter() = default;
  void Add(double by = 1);

 private:
  friend class Metrics;
  explicit Counter(prometheus::Counter* impl) : impl_(impl) {}
  prometheus::Counter* impl_ = nullptr;
};

class Gauge {
 public:
  Gauge() = default;
  void Set(double value);
  void Add(double by);

 private:
  friend class Metrics;
  explicit Gauge(prometheus::Gauge* impl) : impl_(impl) {}
  prometheus::Gauge* impl_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  void Observe(double value);

 private:
  friend class Metrics;
  explicit Histogram(prometheus::Histogram* impl) : impl_(impl) {}
  prometheus::Histogram* impl_ = nullptr;
};

// A registry. Names are those of Prometheus ("tributary_batches_total", base
// units: seconds, bytes) and come from our own code, never from input; label
// values may be anything of which there are few. The same name and labels give
// the same metric. Thread-safe.
class Metrics {
 public:
  using Labels = std::map<std::string, std::string>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter AddCounter(const std::string& name, const std::string& help,
                     const Labels& labels = {});
  Gauge AddGauge(const std::string& name, const std::string& help,
                 const Labels& labels = {});
  // It is shown no more; handles to it must not be used again.
  void RemoveGauge(const std::string& name, const std::string& help,
                   const Labels& labels);
  // `bounds` ascend; the bucket above the last is added.
  Histogram AddHistogram(const std::string& name, const std::string& help,
                         const std::vector<double>& bounds,
                         const Labels& labels = {});

  // text/plain; version=0.0.4
  std::string Exposition() const;

 private:
  std::unique_ptr<prometheus::Registry> registry_;
};

// 1 ms to 32 s, doubling: bounds for what a user waits for.
std::vector<double> LatencyBounds();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_METRICS_H_
