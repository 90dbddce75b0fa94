// Metrics for operators, in the text format that Prometheus scrapes.
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

// Handles to metrics of a Metrics registry, valid while it lives. Cheap to
// copy; thread-safe. A default-constructed handle does nothing, and its value
// is 0.
class Counter {
 public:
  Counter() = default;
  void Add(double by = 1);
  double Value() const;

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
  double Value() const;

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

// A registry of metrics. Names follow Prometheus ("tributary_batches_total";
// base units: seconds, bytes) and come from our own code, never from input;
// label values may be any text, but must be few. The same name and labels give
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
  // Removes a gauge from the exposition; its handles must not be used
  // afterwards.
  void RemoveGauge(const std::string& name, const std::string& help,
                   const Labels& labels);
  // `bounds` are the buckets' upper bounds, ascending; a last bucket without
  // bound is added.
  Histogram AddHistogram(const std::string& name, const std::string& help,
                         const std::vector<double>& bounds,
                         const Labels& labels = {});

  // Returns all metrics in Prometheus' text format (text/plain; version=0.0.4).
  std::string Exposition() const;

 private:
  std::unique_ptr<prometheus::Registry> registry_;
};

// Returns bucket bounds from 1 ms to 32 s, doubling: for times that a user
// waits.
std::vector<double> LatencyBounds();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_METRICS_H_
