#include "pipeline/column_codec.hpp"

#include <algorithm>
#include <new>

#include "tree/tree_decoder.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::series {
namespace {

constexpr std::uint64_t most_parts = 1024;

/// Walks through the parts of an encoded segment.
class PartReader {
 public:
  /// Reads how many parts there are.
  PartReader(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count)
      : reader_(bytes), type_(type), parts_left_(reader_.get_varint()), words_left_(count) {}

  [[nodiscard]] bool has_valid_head() const { return !reader_.failed() && parts_left_ > 0 && parts_left_ <= most_parts; }
  [[nodiscard]] bool has_more() const { return parts_left_ > 0; }

  /// Reads length and plan of the next part.
  Result<SegmentPart> next() {
    // The last part has what is left.
    const std::uint64_t count = --parts_left_ == 0 ? words_left_ : reader_.get_varint();
    if (reader_.failed() || count > words_left_)
      return Status{ErrorCode::corrupt_frame, 0, "the parts of a segment are longer than the segment"};
    words_left_ -= count;
    const std::uint64_t reference = reader_.get_varint();
    if (reference > plans_.size()) return Status{ErrorCode::corrupt_frame, 0, "a part of a segment has no plan"};
    if (reference > 0) return SegmentPart{count, plans_[static_cast<std::size_t>(reference - 1)]};
    Result<Plan> plan = read_plan(reader_, type_);
    if (!plan) return plan.status();
    plans_.push_back(*plan);
    return SegmentPart{count, std::move(*plan)};
  }

  /// Moves behind the headers and payloads of a part. Null if they contradict the format.
  std::unique_ptr<Source> open(const SegmentPart& part) { return open_tree(part.plan, reader_, type_, part.count); }

 private:
  ByteReader reader_;
  DType type_;
  std::uint64_t parts_left_, words_left_;
  std::vector<Plan> plans_;
};

constexpr Status bad_head{ErrorCode::corrupt_frame, 0, "a segment has no parts, or too many"};
constexpr Status bad_header{ErrorCode::corrupt_frame, 0, "the header of an encoding contradicts the format"};
constexpr Status bad_payload{ErrorCode::corrupt_frame, 0, "the payload of an encoding contradicts the format"};

Status read_words(Source& source, std::uint64_t count, std::size_t word_bytes, std::uint8_t* out) {
  while (count > 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece_words));
    if (!source.read(out, piece)) return bad_payload;
    out += piece * word_bytes;
    count -= piece;
  }
  return {};
}

/// Parts as they are written: plans that came before are referred to.
class PartWriter {
 public:
  explicit PartWriter(std::size_t part_count) : parts_left_(part_count) { bytes_.put_varint(part_count); }
  void put(std::uint64_t count, const EncodedTree& tree) {
    if (--parts_left_ > 0) bytes_.put_varint(count);
    const auto known = std::find(plans_.begin(), plans_.end(), tree.plan);
    bytes_.put_varint(known == plans_.end() ? 0 : static_cast<std::uint64_t>(known - plans_.begin()) + 1);
    if (known == plans_.end()) {
      write_plan(tree.plan, bytes_);
      plans_.push_back(tree.plan);
    }
    bytes_.put_bytes(tree.body.bytes());
  }
  std::vector<std::uint8_t> release() { return bytes_.release(); }

 private:
  std::size_t parts_left_;
  ByteWriter bytes_;
  std::vector<Plan> plans_;
};

/// What was encoded ahead, if its bytes are those of one part.
std::optional<EncodedAhead> read_ahead(const SegmentAhead& ahead, DType type) {
  ByteReader reader(ahead.bytes);
  if (reader.get_varint() != 1 || reader.get_varint() != 0) return std::nullopt;
  Result<Plan> plan = read_plan(reader, type);
  if (!plan) return std::nullopt;
  return EncodedAhead{ahead.tree, std::move(*plan), reader.get_bytes(reader.remaining())};
}

}  // namespace

std::optional<Plan> ColumnEncoder::expected_tree(const ColumnView& segment) {
  if (segment.count == 0) return std::nullopt;
  if (planner_ == nullptr) return fixed_;
  if (planner_->takes_parts() && partition(segment, look()).size() > 1) return std::nullopt;
  return planner_->expected_plan(segment);
}

std::optional<Outlook> ColumnEncoder::outlook() const {
  if (planner_ == nullptr) return Outlook{fixed_, {}, {}, look()};
  std::optional<Outlook> outlook = planner_->outlook();
  if (outlook) outlook->look = look();
  return outlook;
}

std::vector<std::uint64_t> ColumnEncoder::partition_of(const ColumnView& segment, LookAhead* look_ahead) const {
  if (planner_ == nullptr || segment.count == 0 || !planner_->takes_parts()) return {segment.count};
  const std::vector<std::uint64_t>* const known = look_ahead == nullptr ? nullptr : look_ahead->parts(look());
  return known == nullptr ? partition(segment, look()) : *known;
}

/// With a tree that was chosen by others.
EncodedTree ColumnEncoder::encode_fixed(const ColumnView& segment, Scratch& scratch, const EncodedAhead* ahead,
                                        PartAhead* looked_at) const {
  const Plan plan = planner_ == nullptr ? fixed_ : Plan{{plain_leaf(segment.type)}};
  if (ahead != nullptr && ahead->wanted == plan) return tree_of(*ahead);
  if (std::optional<EncodedTree> tree = looked_at == nullptr ? std::nullopt : looked_at->take_encoded(plan)) return std::move(*tree);
  return encode_tree(segment, plan, scratch);
}

std::vector<std::uint8_t> ColumnEncoder::encode(const ColumnView& segment, Scratch& scratch, const SegmentAhead* ahead,
                                                LookAhead* look_ahead) {
  const bool is_planned = planner_ != nullptr && segment.count > 0;
  const std::vector<std::uint64_t> parts = partition_of(segment, look_ahead);
  PartAhead* looked_at = look_ahead == nullptr ? nullptr : look_ahead->parts_like(parts);
  const std::uint64_t surprises_before = surprises();
  const std::optional<EncodedAhead> encoded = ahead != nullptr && parts.size() == 1 ? read_ahead(*ahead, segment.type) : std::nullopt;
  const EncodedAhead* const whole = encoded ? &*encoded : nullptr;
  PartWriter writer(parts.size());
  const auto* values = static_cast<const std::uint8_t*>(segment.values);
  for (const std::uint64_t count : parts) {
    const ColumnView part{segment.type, values, count};
    EncodedTree tree = is_planned ? planner_->encode(part, scratch, whole, looked_at) : encode_fixed(part, scratch, whole, looked_at);
    if (looked_at != nullptr) ++looked_at;
    writer.put(count, tree);
    scratch.give_vector(tree.body.release());
    values += part.bytes();
  }
  if (look_ahead != nullptr) look_ahead->stop();
  calm_segments_ = parts.size() == 1 && surprises() == surprises_before ? calm_segments_ + 1 : 0;
  return writer.release();
}

Status decode_column(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, void* out) try {
  PartReader reader(bytes, type, count);
  if (!reader.has_valid_head()) return bad_head;
  auto* to = static_cast<std::uint8_t*>(out);
  while (reader.has_more()) {
    const Result<SegmentPart> part = reader.next();
    if (!part) return part.status();
    if (part->count == 0) continue;
    const auto source = reader.open(*part);
    if (source == nullptr) return bad_header;
    if (const Status status = read_words(*source, part->count, size_of(type), to); !status.ok()) return status;
    to += part->count * size_of(type);
  }
  return {};
} catch (const std::bad_alloc&) {
  return {ErrorCode::out_of_memory, 0, "no memory"};
}

Result<std::vector<SegmentPart>> parts_of(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count) {
  PartReader reader(bytes, type, count);
  if (!reader.has_valid_head()) return bad_head;
  std::vector<SegmentPart> parts;
  while (reader.has_more()) {
    Result<SegmentPart> part = reader.next();
    if (!part) return part.status();
    if (part->count > 0 && reader.open(*part) == nullptr) return bad_header;
    parts.push_back(std::move(*part));
  }
  return parts;
}

Result<Plan> plan_of(std::span<const std::uint8_t> bytes, DType type) {
  ByteReader reader(bytes);
  if (reader.get_varint() != 1) reader.get_varint();  // the words of the first of several parts
  if (reader.get_varint() != 0 || reader.failed()) return Status{ErrorCode::corrupt_frame, 0, "a part of a segment has no plan"};
  return read_plan(reader, type);
}

}  // namespace floe::series
