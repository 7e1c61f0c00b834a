#include "tree/stream_parts.hpp"

#include <algorithm>
#include <new>

#include "tree/tree_decoder.hpp"

namespace floe::trees {
namespace {

/// The body of a part with a leaf whose payloads begin at multiples of this begins at one, too.
constexpr std::size_t body_alignment = 16;
/// Leaves of entropy with fewer words have no such payloads.
constexpr std::uint64_t min_compact_aligned_words = 4096;

bool is_aligned(const Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const PlanNode& node) {
    return node.encoding == EncodingId::codec || node.encoding == EncodingId::entropy ||
           node.encoding == EncodingId::multi_entropy;
  });
}

bool is_aligned(const StreamPart& part, Alignment alignment) {
  const auto is_codec = [](const PlanNode& node) { return node.encoding == EncodingId::codec; };
  return is_aligned(part.plan) && (alignment == Alignment::usual || part.count >= min_compact_aligned_words ||
                                   std::any_of(part.plan.nodes.begin(), part.plan.nodes.end(), is_codec));
}

}  // namespace

bool find_body(ByteReader& reader, const Plan& plan) {
  return !is_aligned(plan) || reader.align(body_alignment);
}

namespace {

/// Walks through the parts of an encoded stream.
class PartReader {
 public:
  /// Reads how many parts there are.
  PartReader(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count,
             Alignment alignment = Alignment::usual)
      : reader_(bytes),
        type_(type),
        alignment_(alignment),
        parts_left_(reader_.get_varint()),
        words_left_(count) {}

  [[nodiscard]] bool has_valid_header() const {
    return !reader_.failed() && parts_left_ > 0 && parts_left_ <= max_stream_parts;
  }
  [[nodiscard]] bool has_more() const { return parts_left_ > 0; }
  [[nodiscard]] std::size_t remaining() const { return reader_.remaining(); }
  /// Whether all bytes were used.
  [[nodiscard]] bool is_at_end() const { return reader_.remaining() == 0; }

  /// Reads length and plan of the next part.
  Result<StreamPart> next() {
    // The last part has what is left.
    const std::uint64_t count = --parts_left_ == 0 ? words_left_ : reader_.get_varint();
    if (reader_.failed() || count > words_left_ || count == 0)
      return Status{ErrorCode::corrupt_frame, 0, "the parts of a stream have another length than the stream"};
    words_left_ -= count;
    const std::uint64_t reference = reader_.get_varint();
    if (reference > plans_.size())
      return Status{ErrorCode::corrupt_frame, 0, "a part of a stream has no plan"};
    if (reference > 0) return StreamPart{count, plans_[static_cast<std::size_t>(reference - 1)], 0};
    Result<Plan> plan = read_plan(reader_, type_);
    if (!plan) return plan.status();
    plans_.push_back(*plan);
    return StreamPart{count, std::move(*plan), 0};
  }

  /// Moves behind the headers and payloads of a part. Null if they contradict the format.
  std::unique_ptr<Source> open(const StreamPart& part, Wanted wanted) {
    if (is_aligned(part, alignment_) && !reader_.align(body_alignment)) return nullptr;
    return open_tree(part.plan, reader_, type_, part.count, wanted);
  }

 private:
  ByteReader reader_;
  DType type_;
  Alignment alignment_;
  std::uint64_t parts_left_, words_left_;
  std::vector<Plan> plans_;
};

constexpr Status bad_part_count{ErrorCode::corrupt_frame, 0, "a stream has no parts, or too many"};
constexpr Status bad_header{ErrorCode::corrupt_frame, 0, "the header of an encoding contradicts the format"};
constexpr Status bad_payload{ErrorCode::corrupt_frame, 0,
                             "the payload of an encoding contradicts the format"};

Status read_words(Source& source, std::uint64_t count, std::size_t word_bytes, std::uint8_t* out) {
  const std::size_t usual = source.words_at_once();
  std::size_t piece = usual / 2 + source.words_before_blocks();
  for (; count > 0; piece = usual) {
    piece = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece));
    if (!source.read(out, piece)) return bad_payload;
    out += piece * word_bytes;
    count -= piece;
  }
  return {};
}

}  // namespace

void PartWriter::put(std::uint64_t count, const EncodedTree& tree) {
  put_front(count, tree);
  bytes_.put_bytes(tree.body.bytes());
}

void PartWriter::put_front(std::uint64_t count, const EncodedTree& tree) {
  if (--parts_left_ > 0) bytes_.put_varint(count);
  const auto known = std::find(plans_.begin(), plans_.end(), tree.plan);
  bytes_.put_varint(known == plans_.end() ? 0 : static_cast<std::uint64_t>(known - plans_.begin()) + 1);
  if (known == plans_.end()) {
    write_plan(tree.plan, bytes_);
    plans_.push_back(tree.plan);
  }
  if (is_aligned({count, tree.plan, 0}, alignment_)) bytes_.align(body_alignment);
}

namespace {

Status decode_parts(PartReader reader, DType type, std::uint64_t count, Slice slice, void* out,
                    std::span<std::byte> scratch, core::MemoryBudget* budget) try {
  const SourceMemory memory(scratch);
  core::MemoryBudget::Use use(budget);
  if (!reader.has_valid_header()) return bad_part_count;
  auto* to = static_cast<std::uint8_t*>(out);
  const std::uint64_t slice_end = slice.first + slice.count;
  for (std::uint64_t begin = 0, end = 0; reader.has_more() && end < slice_end; begin = end) {
    use.give_back();
    const Result<StreamPart> part = reader.next();
    if (!part) return part.status();
    end = begin + part->count;
    const std::uint64_t first = std::max(begin, slice.first), last = std::min(end, slice_end);
    const auto source = reader.open(*part, first == begin && last == end ? Wanted::all : Wanted::parts);
    if (source == nullptr) return bad_header;
    if (first >= last) continue;
    if (first > begin && !source->skip(first - begin)) return bad_payload;
    if (const Status status = read_words(*source, last - first, size_of(type), to); !status.ok())
      return status;
    to += (last - first) * size_of(type);
  }
  if (slice_end < count) return {};
  if (reader.has_more()) return {ErrorCode::corrupt_frame, 0, "a stream has parts without words"};
  return reader.is_at_end() ? Status{}
                            : Status{ErrorCode::corrupt_frame, 0, "a stream has bytes behind its last part"};
} catch (const core::MemoryBudget::Exceeded&) {
  return {ErrorCode::out_of_memory, 0, "decoding a stream needs more than memory_limit_bytes"};
} catch (const std::bad_alloc&) {
  return {ErrorCode::out_of_memory, 0, "no memory"};
}

}  // namespace

Status decode_slice(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, Slice slice,
                    void* out, std::span<std::byte> scratch, core::MemoryBudget* budget) {
  return decode_parts(PartReader(bytes, type, count), type, count, slice, out, scratch, budget);
}

Status decode_compact_stream(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, void* out,
                             core::MemoryBudget* budget) {
  return decode_parts(PartReader(bytes, type, count, Alignment::compact), type, count, {0, count}, out, {},
                      budget);
}

Status decode_stream(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count, void* out) {
  return decode_slice(bytes, type, count, {0, count}, out);
}

Result<std::vector<StreamPart>> parts_of(std::span<const std::uint8_t> bytes, DType type, std::uint64_t count,
                                         Alignment alignment) {
  PartReader reader(bytes, type, count, alignment);
  if (!reader.has_valid_header()) return bad_part_count;
  std::vector<StreamPart> parts;
  while (reader.has_more()) {
    const std::size_t begin = reader.remaining();
    Result<StreamPart> part = reader.next();
    if (!part) return part.status();
    if (reader.has_more() && reader.open(*part, Wanted::parts) == nullptr) return bad_header;
    part->stored_bytes = begin - (reader.has_more() ? reader.remaining() : 0);
    parts.push_back(std::move(*part));
  }
  return parts;
}

Result<Plan> plan_of(std::span<const std::uint8_t> bytes, DType type) {
  ByteReader reader(bytes);
  if (reader.get_varint() != 1) reader.get_varint();  // the words of the first of several parts
  if (reader.get_varint() != 0 || reader.failed())
    return Status{ErrorCode::corrupt_frame, 0, "a part of a stream has no plan"};
  return read_plan(reader, type);
}

}  // namespace floe::trees
