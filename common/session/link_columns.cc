#include "common/session/link_columns.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/tensor/value_bytes.h"

namespace tributary {
namespace {

template <typename T>
void AppendBytes(const std::vector<T>& values, std::vector<uint8_t>* to) {
  const absl::Span<const uint8_t> bytes = ValueBytes(values);
  to->insert(to->end(), bytes.begin(), bytes.end());
}

// Takes `count` values off the front of `payload`.
template <typename T>
std::vector<T> Cut(size_t count, absl::Span<const uint8_t>* payload) {
  std::vector<T> values(count);
  const size_t bytes = count * sizeof(T);
  if (bytes > 0) std::memcpy(values.data(), payload->data(), bytes);
  payload->remove_prefix(bytes);
  return values;
}

}  // namespace

void LinkColumns::SetLabels(absl::Span<const int64_t> labels) {
  label_type = LabelType::kInt64;
  const absl::Span<const uint8_t> bytes = ValueBytes(labels);
  label.assign(bytes.begin(), bytes.end());
}

void LinkColumns::SetLabels(absl::Span<const float> labels) {
  label_type = LabelType::kFloat32;
  const absl::Span<const uint8_t> bytes = ValueBytes(labels);
  label.assign(bytes.begin(), bytes.end());
}

void LinkColumns::Append(const LinkColumns& more) {
  const auto append = [](const auto& from, auto* to) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(more.source, &source);
  append(more.destination, &destination);
  append(more.edge_id, &edge_id);
  append(more.label, &label);
  append(more.negative, &negative);
}

LinkColumns LinkColumns::Take(absl::Span<const uint64_t> numbers) const {
  LinkColumns taken;
  taken.label_type = label_type;
  taken.source.reserve(numbers.size());
  taken.destination.reserve(numbers.size());
  const size_t width = LabelBytes(label_type);
  taken.label.reserve(numbers.size() * width);
  taken.negatives = negatives;
  taken.negative.reserve(numbers.size() * negatives);
  for (const uint64_t number : numbers) {
    taken.source.push_back(source[number]);
    taken.destination.push_back(destination[number]);
    if (!edge_id.empty()) taken.edge_id.push_back(edge_id[number]);
    const auto begin = label.begin() + static_cast<ptrdiff_t>(number * width);
    taken.label.insert(taken.label.end(), begin,
                       begin + static_cast<ptrdiff_t>(width));
    const auto own =
        negative.begin() + static_cast<ptrdiff_t>(number * negatives);
    taken.negative.insert(taken.negative.end(), own,
                          own + static_cast<ptrdiff_t>(negatives));
  }
  return taken;
}

Sha256Digest LinksSha256(const LinkColumns& links,
                         absl::Span<const int64_t> times) {
  Sha256 sha;
  sha.Update(ValueBytes(links.source));
  sha.Update(ValueBytes(links.destination));
  if (!times.empty()) {
    sha.Update("time");
    sha.Update(ValueBytes(times));
  }
  if (links.label_type != LabelType::kNone) {
    sha.Update("label");
    sha.Update(absl::MakeConstSpan(links.label));
  }
  if (!links.edge_id.empty()) {
    sha.Update("edge");
    sha.Update(ValueBytes(links.edge_id));
  }
  if (links.negatives > 0) {
    sha.Update("negs");
    sha.Update(ValueBytes(links.negative));
  }
  return sha.Finish();
}

std::vector<uint8_t> EncodeLinkCredit(const LinkCredit& credit) {
  std::vector<uint8_t> payload;
  payload.reserve(
      credit.input_number.size() *
      LinkCreditBytes({!credit.time.empty(), !credit.links.edge_id.empty(),
                       credit.links.label_type, credit.links.negatives}));
  AppendBytes(credit.input_number, &payload);
  AppendBytes(credit.links.source, &payload);
  AppendBytes(credit.links.destination, &payload);
  AppendBytes(credit.time, &payload);
  AppendBytes(credit.links.edge_id, &payload);
  AppendBytes(credit.links.label, &payload);
  AppendBytes(credit.links.negative, &payload);
  return payload;
}

absl::StatusOr<LinkCredit> DecodeLinkCredit(absl::Span<const uint8_t> payload,
                                            uint64_t links,
                                            const LinkCreditShape& shape) {
  const size_t width = LinkCreditBytes(shape);
  if (payload.size() % width != 0 || payload.size() / width != links) {
    return absl::InvalidArgumentError(
        absl::StrCat("credit: ", payload.size(), " bytes for ", links,
                     " links; allowed: ", width, " for each"));
  }
  LinkCredit credit;
  credit.input_number = Cut<int64_t>(links, &payload);
  credit.links.source = Cut<int64_t>(links, &payload);
  credit.links.destination = Cut<int64_t>(links, &payload);
  if (shape.timed) credit.time = Cut<int64_t>(links, &payload);
  if (shape.edge_ids) credit.links.edge_id = Cut<int64_t>(links, &payload);
  credit.links.label_type = shape.label;
  credit.links.label = Cut<uint8_t>(links * LabelBytes(shape.label), &payload);
  credit.links.negatives = shape.negatives;
  credit.links.negative = Cut<int64_t>(links * shape.negatives, &payload);
  return credit;
}

}  // namespace tributary
