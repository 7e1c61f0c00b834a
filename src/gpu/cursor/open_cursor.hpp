// Makes a Cursor of an encoded segment. One thread reads the tree, and finds the vectors of its leaves; what
// else random access needs is left to a block. Compiled by nvcc, and by any compiler for tests.
#pragma once

#include "core/power_of_ten.hpp"
#include "floe/error.hpp"
#include "gpu/cursor/cursor_tasks.hpp"
#include "gpu/decode/header_reader.hpp"
#include "simd/kernels.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {

using cuda::CursorStep;
using cuda::PackedVector;

/// Memory for what a cursor points to. Counts what is asked for even when there is no more.
struct IndexRoom {
  std::uint8_t* begin = nullptr;  ///< At a multiple of 16.
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;

  template <class T>
  FLOE_DEVICE T* take(std::uint64_t count) {
    const std::uint64_t first = used;
    used += core::align_up(count * sizeof(T), 16);
    return used <= bytes ? reinterpret_cast<T*>(begin + first) : nullptr;
  }
};

/// A bit for each encoding that has random access.
inline constexpr unsigned readable_encodings = [] {
  using enum trees::EncodingId;
  unsigned bits = 0;
  for (const auto id : {raw, constant, bitpack, int_mult, sortable, delta, decimal, dict, sparse})
    bits |= 1u << static_cast<unsigned>(id);
  return bits;
}();

/// Reads the head and the tree of a segment; for one thread. Too large for the stacks of threads.
class CursorOpener {
 public:
  static constexpr unsigned max_tasks = 12, max_depth = 5;

  FLOE_DEVICE CursorOpener(CursorTask* tasks, IndexRoom room) : tasks_(tasks), room_(room) {}

  FLOE_DEVICE_CALL void open(const void* bytes, std::uint64_t byte_count, DType type, std::uint64_t count,
                             Cursor& cursor) {
    cursor = {};
    bytes_ = {static_cast<const std::uint8_t*>(bytes), 0, byte_count};
    const std::uint64_t parts = bytes_.get_varint(), reference = bytes_.get_varint();
    if (bytes_.failed || parts == 0 || (parts == 1 && reference != 0)) {
      fail(ErrorCode::corrupt_frame);
    } else if (parts > 1) {
      fail(ErrorCode::unsupported_codec);  // parts have trees of their own
    } else if (count > 0) {
      read_plan();
      if (error_ == ErrorCode::ok) open_node<0>(count, static_cast<unsigned>(size_of(type)), cursor);
    }
    if (error_ == ErrorCode::ok && room_.used > room_.bytes) fail(ErrorCode::output_too_small);
    if (error_ != ErrorCode::ok) {
      cursor = {};
      task_count_ = 0;
    } else {
      cursor.count = count;
    }
    cursor.error = static_cast<std::uint32_t>(error_);
    cursor.index_bytes = room_.used;
  }
  [[nodiscard]] FLOE_DEVICE unsigned task_count() const { return task_count_; }

 private:
  struct Node {
    trees::EncodingId encoding;
    std::uint64_t parameters[2];
  };

  FLOE_DEVICE_CALL void fail(ErrorCode error) {
    if (error_ == ErrorCode::ok) error_ = error;
  }

  /// The first node without random access ends it.
  FLOE_DEVICE_CALL void read_plan() {
    unsigned open_nodes = 1;
    for (; open_nodes > 0 && error_ == ErrorCode::ok; ++node_count_) {
      if (node_count_ == max_nodes) return fail(ErrorCode::unsupported_codec);
      Node& node = nodes_[node_count_];
      const std::uint8_t id = bytes_.get_byte();
      if (id >= trees::encoding_count || (readable_encodings >> id & 1) == 0)
        return fail(ErrorCode::unsupported_codec);
      node.encoding = static_cast<trees::EncodingId>(id);
      for (unsigned i = 0; i < trees::parameters_of(node.encoding); ++i)
        node.parameters[i] = bytes_.get_varint();
      open_nodes += trees::children_of(node.encoding, 0) - 1;
    }
    if (bytes_.failed) fail(ErrorCode::corrupt_frame);
  }

  /// Passes over the nodes of a sub-tree of no words, which has no bytes.
  FLOE_DEVICE_CALL void skip_subtree() {
    for (unsigned open_nodes = 1; open_nodes > 0; --open_nodes)
      open_nodes += trees::children_of(nodes_[next_node_++].encoding, 0);
  }

  FLOE_DEVICE_CALL CursorStep* add_step(Cursor& cursor, CursorStep::Kind kind, unsigned bytes_in,
                                        unsigned bytes) {
    if (cursor.step_count == Cursor::max_steps) {
      fail(ErrorCode::unsupported_codec);
      return nullptr;
    }
    CursorStep& step = cursor.steps[cursor.step_count++];
    step.kind = kind;
    step.bytes_in = static_cast<std::uint8_t>(bytes_in);
    step.bytes = static_cast<std::uint8_t>(bytes);
    return &step;
  }

  static FLOE_DEVICE void set_leaf(Cursor& cursor, Cursor::Leaf leaf, unsigned bytes) {
    cursor.leaf = leaf;
    cursor.leaf_bytes = static_cast<std::uint8_t>(bytes);
  }

  FLOE_DEVICE_CALL void add_task(CursorTask::Kind kind, const Cursor& from, std::uint64_t count,
                                 std::uint64_t first, void* to) {
    if (task_count_ == max_tasks) return fail(ErrorCode::unsupported_codec);
    if (to != nullptr) tasks_[task_count_++] = {kind, from, count, first, to};
  }

  /// The next node of the plan, for `count` > 0 words.
  template <unsigned depth>
  FLOE_DEVICE_CALL void open_node(std::uint64_t count, unsigned bytes, Cursor& out) {
    if constexpr (depth == max_depth) {
      fail(ErrorCode::unsupported_codec);
    } else {
      const Node& node = nodes_[next_node_++];
      out.count = count;
      switch (node.encoding) {
        case trees::EncodingId::raw:
          set_leaf(out, Cursor::Leaf::raw, bytes);
          if (count > (bytes_.end - bytes_.at) / bytes) return fail(ErrorCode::corrupt_frame);
          out.payload = bytes_.bytes + bytes_.at;
          bytes_.skip(count * bytes);
          break;
        case trees::EncodingId::constant:
          set_leaf(out, Cursor::Leaf::constant, bytes);
          out.constant = bytes_.get_word(bytes);
          break;
        case trees::EncodingId::bitpack:
          open_bitpack(count, bytes, out);
          break;
        case trees::EncodingId::int_mult:
          open_int_mult<depth>(count, bytes, out);
          break;
        case trees::EncodingId::sortable:
          open_node<depth + 1>(count, bytes, out);
          add_step(out, CursorStep::Kind::sortable, bytes, bytes);
          break;
        case trees::EncodingId::delta:
          open_delta<depth>(node, count, bytes, out);
          break;
        case trees::EncodingId::decimal:
          open_decimal<depth>(node, count, bytes, out);
          break;
        case trees::EncodingId::dict:
          open_dict<depth>(count, bytes, out);
          break;
        default:
          open_sparse<depth>(count, bytes, out);
      }
      if (bytes_.failed) fail(ErrorCode::corrupt_frame);
    }
  }

  FLOE_DEVICE_CALL void open_bitpack(std::uint64_t count, unsigned bytes, Cursor& out) {
    const std::uint64_t payload_bytes = bytes_.get_varint();
    const std::uint8_t* const payload = bytes_.bytes + bytes_.at;
    bytes_.skip(payload_bytes);
    // Every vector has two bytes or more, so that a forged count does not ask for much.
    const std::uint64_t vectors = core::divide_up(count, trees::vector_words);
    if (bytes_.failed || vectors > payload_bytes / 2) return fail(ErrorCode::corrupt_frame);
    set_leaf(out, Cursor::Leaf::packed, bytes);
    out.payload = payload;
    auto* const places = room_.take<PackedVector>(vectors);
    out.vectors = places;
    if (places == nullptr) return;
    BytesReader<std::uint64_t> rest{payload, 0, payload_bytes};
    std::uint64_t base = 0;
    for (std::uint64_t v = 0; v < vectors; ++v) {
      const std::uint64_t words = v + 1 < vectors ? trees::vector_words : count - v * trees::vector_words;
      const std::uint8_t control = rest.get_byte();
      const unsigned width = control & 0x7F;
      base += rest.get_signed(8 * bytes);
      const std::uint64_t packed = rest.at;
      rest.skip((words * width + 7) / 8);
      if (rest.failed || width > 8 * bytes) return fail(ErrorCode::corrupt_frame);
      places[v] = {base, packed | static_cast<std::uint64_t>(width) << 48 |
                             static_cast<std::uint64_t>(control >> 7) << 63};
      if (control < 0x80) continue;
      const std::uint64_t exceptions = rest.at;
      const std::uint64_t exception_count = rest.get_varint();
      const bool is_short = rest.at - exceptions <= 2;  // as word() reads it
      const unsigned upper = rest.get_byte();
      if (rest.failed || !is_short || exception_count > words || width + upper > 8 * bytes)
        return fail(ErrorCode::corrupt_frame);
      rest.skip((exception_count * (10 + upper) + 7) / 8);
      if (rest.failed) return fail(ErrorCode::corrupt_frame);
    }
  }

  template <unsigned depth>
  FLOE_DEVICE_CALL void open_int_mult(std::uint64_t count, unsigned bytes, Cursor& out) {
    const std::uint64_t base = bytes_.get_signed(8 * bytes), divisor = bytes_.get_varint();
    open_node<depth + 1>(count, bytes, out);
    if (out.step_count == 0 && !out.sums_up) {  // so that differences can be summed up behind it
      out.leaf_factor *= divisor;
      out.leaf_base = out.leaf_base * divisor + base;
      return;
    }
    if (CursorStep* const step = add_step(out, CursorStep::Kind::int_mult, bytes, bytes)) {
      step->base = base;
      step->factor = divisor;
    }
  }

  template <unsigned depth>
  FLOE_DEVICE_CALL void open_delta(const Node& node, std::uint64_t count, unsigned bytes, Cursor& out) {
    if (node.parameters[0] != 1 || node.parameters[1] != 1) return fail(ErrorCode::unsupported_codec);
    const std::uint64_t first = bytes_.get_signed(8 * bytes);
    if (count == 1) {
      skip_subtree();
      set_leaf(out, Cursor::Leaf::constant, bytes);
      out.constant = first;
      return;
    }
    open_node<depth + 1>(count - 1, bytes, out);
    if (out.step_count > 0 || out.sums_up) return fail(ErrorCode::unsupported_codec);
    auto* const checkpoints =
        room_.take<std::uint8_t>(core::divide_up(count, Cursor::checkpoint_words) * bytes);
    add_task(CursorTask::Kind::checkpoints, out, count, first, checkpoints);
    out.sums_up = true;
    out.checkpoints = checkpoints;
    out.count = count;
  }

  /// Gaps and words of exceptions, if there are any.
  template <unsigned depth>
  FLOE_DEVICE_CALL void open_exceptions(std::uint64_t count, std::uint64_t exception_count, unsigned bytes,
                                        CursorStep* step) {
    if (exception_count > count) fail(ErrorCode::corrupt_frame);
    if (error_ != ErrorCode::ok || step == nullptr) return;
    if (exception_count == 0) {
      skip_subtree();
      return skip_subtree();
    }
    step->exception_count = exception_count;
    Cursor *const gaps = take_cursor(), *const words = take_cursor();
    if (words == nullptr) return;
    open_node<depth + 1>(exception_count, 8, *gaps);
    auto* const places = room_.take<std::uint64_t>(exception_count);
    add_task(CursorTask::Kind::places, *gaps, exception_count, 0, places);
    if (error_ != ErrorCode::ok) return;
    open_node<depth + 1>(exception_count, bytes, *words);
    step->exception_positions = places;
    step->exception_words = take_words(*words, exception_count, bytes);
  }

  /// For a sub-tree.
  FLOE_DEVICE_CALL Cursor* take_cursor() {
    if (cursor_count_ < max_cursors) return &cursors_[cursor_count_++];
    fail(ErrorCode::unsupported_codec);
    return nullptr;
  }

  /// Room for the words that a cursor has, and the task to write them.
  FLOE_DEVICE_CALL const void* take_words(const Cursor& from, std::uint64_t count, unsigned bytes) {
    auto* const to = room_.take<std::uint8_t>(count * bytes);
    add_task(CursorTask::Kind::words, from, count, bytes, to);
    return to;
  }

  template <unsigned depth>
  FLOE_DEVICE_CALL void open_decimal(const Node& node, std::uint64_t count, unsigned bytes, Cursor& out) {
    const std::uint64_t exceptions = bytes_.get_varint();
    const bool is_good = node.parameters[0] <= core::max_decimal_digits &&
                         (node.parameters[1] == 4 || (node.parameters[1] == 8 && bytes == 8)) && bytes >= 4;
    if (!is_good) return fail(ErrorCode::corrupt_frame);
    const auto integer_bytes = static_cast<unsigned>(node.parameters[1]);
    open_node<depth + 1>(count, integer_bytes, out);
    CursorStep* const step = add_step(out, CursorStep::Kind::decimal, integer_bytes, bytes);
    if (step != nullptr) {
      for (std::uint64_t digit = 0; digit < node.parameters[0]; ++digit) step->power *= 10;
    }
    open_exceptions<depth>(count, exceptions, bytes, step);
  }

  template <unsigned depth>
  FLOE_DEVICE_CALL void open_dict(std::uint64_t count, unsigned bytes, Cursor& out) {
    const std::uint64_t entry_count = bytes_.get_varint(), exceptions = bytes_.get_varint();
    if (bytes_.failed || entry_count == 0 || entry_count > count || entry_count > 65535)
      return fail(ErrorCode::corrupt_frame);
    if (exceptions > 0)
      return fail(ErrorCode::unsupported_codec);  // which one a code means, the codes before it say
    Cursor* const entries = take_cursor();
    if (entries == nullptr) return;
    open_node<depth + 1>(entry_count, bytes, *entries);
    const void* const table = take_words(*entries, entry_count, bytes);
    if (error_ != ErrorCode::ok) return;
    open_node<depth + 1>(count, 2, out);
    CursorStep* const step = add_step(out, CursorStep::Kind::dict, 2, bytes);
    if (step == nullptr) return;
    step->entries = table;
    step->entry_count = entry_count;
    skip_subtree();
  }

  template <unsigned depth>
  FLOE_DEVICE_CALL void open_sparse(std::uint64_t count, unsigned bytes, Cursor& out) {
    set_leaf(out, Cursor::Leaf::constant, bytes);
    out.constant = bytes_.get_word(bytes);
    const std::uint64_t exceptions = bytes_.get_varint();
    open_exceptions<depth>(count, exceptions, bytes,
                           add_step(out, CursorStep::Kind::exceptions, bytes, bytes));
  }

  static constexpr unsigned max_nodes = 24, max_cursors = 8;

  CursorTask* tasks_;
  unsigned task_count_ = 0;
  IndexRoom room_;
  BytesReader<std::uint64_t> bytes_{};
  Cursor cursors_[max_cursors];
  unsigned cursor_count_ = 0;
  Node nodes_[max_nodes];
  unsigned node_count_ = 0, next_node_ = 0;
  ErrorCode error_ = ErrorCode::ok;
};

}  // namespace floe::gpu
