#include "common/observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace tributary {

void Counter::Add(double by) {
  if (impl_ != nullptr) impl_->Increment(by);
}

double Counter::Value() const { return impl_ == nullptr ? 0 : impl_->Value(); }
double Gauge::Value() const { return impl_ == nullptr ? 0 : impl_->Value(); }

void Gauge::Set(double value) {
  if (impl_ != nullptr) impl_->Set(value);
}

void Gauge::Add(double by) {
  if (impl_ != nullptr) impl_->Increment(by);
}

void Histogram::Observe(double value) {
  if (impl_ != nullptr) impl_->Observe(value);
}

Metrics::Metrics() : registry_(std::make_unique<prometheus::Registry>()) {}
Metrics::~Metrics() = default;

Counter Metrics::AddCounter(const std::string& name, const std::string& help,
                            const Labels& labels) {
  auto& family =
      prometheus::BuildCounter().Name(name).Help(help).Register(*registry_);
  return Counter(&family.Add(labels));
}

Gauge Metrics::AddGauge(const std::string& name, const std::string& help,
                        const Labels& labels) {
  auto& family =
      prometheus::BuildGauge().Name(name).Help(help).Register(*registry_);
  return Gauge(&family.Add(labels));
}

void Metrics::RemoveGauge(const std::string& name, const std::string& help,
                          const Labels& labels) {
  auto& family =
      prometheus::BuildGauge().Name(name).Help(help).Register(*registry_);
  family.Remove(&family.Add(labels));
}

Histogram Metrics::AddHistogram(const std::string& name,
                                const std::string& help,
                                const std::vector<double>& bounds,
                                const Labels& labels) {
  auto& family =
      prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_);
  return Histogram(&family.Add(labels, bounds));
}

std::string Metrics::Exposition() const {
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

std::vector<double> LatencyBounds() {
  std::vector<double> bounds;
  for (int i = 0; i < 15; ++i) bounds.push_back(0.001 * (1 << i));
  return bounds;
}

}  // namespace tributary
