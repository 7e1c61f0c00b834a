// Makes a Cursor of an encoded segment. One thread reads the tree as decoders do, and finds the vectors of
// its leaves; what else random access needs is left to a block: dictionaries, exceptions, and sums of
// differences. Compiled by nvcc, and by any compiler for tests.
#pragma once

#include "core/bits.hpp"
#include "core/power_of_ten.hpp"
#include "floe/cursor.hpp"
#include "gpu/decode/open_tree.hpp"

namespace floe::gpu {

using cuda::Cursor;

/// Left for the whole block when the tree has been read. Later tasks read what earlier ones wrote.
struct CursorTask {
  enum class Kind : std::uint8_t { words, positions, checkpoints };
  Kind kind = Kind::words;
  Cursor from;
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< checkpoints: the sum to begin with.
  void* to = nullptr;
};

FLOE_HD inline void store_word(void* to, std::uint64_t index, unsigned bytes, std::uint64_t word) {
  memcpy(static_cast<std::uint8_t*>(to) + index * bytes, &word, bytes);
}

/// One task, by thread `thread` of `threads`, each with a position in `sums`; sync() makes them wait.
template <class Sync>
FLOE_HD void run_cursor_task(const CursorTask& task, unsigned thread, unsigned threads, std::uint64_t* sums,
                             const Sync& sync) {
  if (task.kind == CursorTask::Kind::words) {
    const auto bytes = static_cast<unsigned>(task.first);
    for (std::uint64_t i = thread; i < task.count; i += threads)
      store_word(task.to, i, bytes, task.from.word(i));
    return sync();
  }
  // Both others are running sums: every thread adds up a range, then goes over it with the sum before.
  const bool are_positions = task.kind == CursorTask::Kind::positions;
  constexpr unsigned step = Cursor::checkpoint_words;
  const std::uint64_t each = core::align_up(core::divide_up(task.count, threads), step);
  const std::uint64_t first = each * thread < task.count ? each * thread : task.count;
  const std::uint64_t end = first + each < task.count ? first + each : task.count;
  const std::uint64_t summed_end =
      are_positions || end < task.count ? end : task.count - 1;  // n words have n - 1 differences
  std::uint64_t sum = 0;
  for (std::uint64_t i = first; i < summed_end; ++i) sum += task.from.word(i) + (are_positions ? 1 : 0);
  sums[thread] = sum;
  sync();
  if (thread == 0) {
    std::uint64_t before = task.first;
    for (unsigned t = 0; t < threads; ++t) {
      const std::uint64_t mine = sums[t];
      sums[t] = before;
      before += mine;
    }
  }
  sync();
  sum = sums[thread];
  for (std::uint64_t i = first; i < end; ++i) {
    if (are_positions) {
      sum += task.from.word(i) + 1;
      store_word(task.to, i, 8, sum - 1);
    } else {
      if (i % step == 0) store_word(task.to, i / step, task.from.leaf_bytes, sum);
      if (i < summed_end) sum += task.from.word(i);
    }
  }
  sync();
}

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

/// Reads the header and the tree of a segment; for one thread. Too large for the stacks of threads.
class CursorOpener {
 public:
  static constexpr unsigned max_tasks = 12, max_depth = 5;

  FLOE_DEVICE CursorOpener(CursorTask* tasks, IndexRoom room) : tasks_(tasks), room_(room) {}

  FLOE_DEVICE_CALL void open(const void* bytes, std::uint64_t byte_count, DType type, std::uint64_t count,
                             Cursor& cursor) {
    cursor = {};
    bytes_ = static_cast<const std::uint8_t*>(bytes);
    read_tree(byte_count, type, count);
    if (error_ == ErrorCode::ok && count > 0) open_node<0>(0, cursor);
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
  FLOE_DEVICE_CALL void fail(ErrorCode error) {
    if (error_ == ErrorCode::ok) error_ = error;
  }

  /// The nodes of the only part, with their headers. The first node without random access ends it.
  FLOE_DEVICE_CALL void read_tree(std::uint64_t byte_count, DType type, std::uint64_t count) {
    constexpr std::uint64_t max = 0xFFFFFFFF;
    if (byte_count > max || count > max) return fail(ErrorCode::unsupported_codec);
    HeaderReader reader{bytes_, 0, static_cast<std::uint32_t>(byte_count)};
    const std::uint64_t parts = reader.get_varint(), reference = reader.get_varint();
    if (reader.failed || parts == 0 || (parts == 1 && reference != 0)) return fail(ErrorCode::corrupt_frame);
    if (parts > 1) return fail(ErrorCode::unsupported_codec);  // parts have trees of their own
    if (count == 0) return;
    if (const std::uint32_t code = read_plan(reader, type, part_); code != 0)
      return fail(static_cast<ErrorCode>(code));
    if (is_body_aligned(part_)) skip_padding(reader, 0, 16);
    const std::uint32_t body = reader.at;
    for (unsigned i = 0; i < part_.node_count; ++i) {
      Node& node = part_.nodes[i];
      node.count =
          i == 0 ? static_cast<std::uint32_t>(count) : child_words(part_.nodes[node.parent], node.slot);
      if (node.count == 0) continue;
      if ((readable_encodings >> static_cast<unsigned>(node.encoding) & 1) == 0)
        return fail(ErrorCode::unsupported_codec);
      if (!read_header(reader, body, node)) return fail(ErrorCode::corrupt_frame);
    }
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

  /// A node with words.
  template <unsigned depth>
  FLOE_DEVICE_CALL void open_node(unsigned index, Cursor& out) {
    if constexpr (depth == max_depth) {
      fail(ErrorCode::unsupported_codec);
    } else {
      const Node& node = part_.nodes[index];
      const unsigned bytes = word_bytes(node.type);
      out.count = node.count;
      switch (node.encoding) {
        case EncodingId::raw:
          set_leaf(out, Cursor::Leaf::raw, bytes);
          out.payload = bytes_ + node.at;
          break;
        case EncodingId::bitpack:
          open_bitpack(node, bytes, out);
          break;
        case EncodingId::int_mult:
          open_int_mult<depth>(node, bytes, out);
          break;
        case EncodingId::sortable:
          open_node<depth + 1>(node.child[0], out);
          add_step(out, CursorStep::Kind::sortable, bytes, bytes);
          break;
        case EncodingId::delta:
          open_delta<depth>(node, bytes, out);
          break;
        case EncodingId::decimal:
          open_decimal<depth>(node, bytes, out);
          break;
        case EncodingId::dict:
          open_dict<depth>(node, bytes, out);
          break;
        default:  // constant and sparse
          set_leaf(out, Cursor::Leaf::constant, bytes);
          out.constant = node.number[0];
          if (node.encoding == EncodingId::sparse)
            open_exceptions<depth>(node, 0, add_step(out, CursorStep::Kind::exceptions, bytes, bytes));
      }
    }
  }

  FLOE_DEVICE_CALL void open_bitpack(const Node& node, unsigned bytes, Cursor& out) {
    // Every vector has two bytes or more, so that a forged count does not ask for much.
    const std::uint32_t vectors = tiles_of(node.count);
    if (vectors > (node.end - node.at) / 2) return fail(ErrorCode::corrupt_frame);
    set_leaf(out, Cursor::Leaf::packed, bytes);
    out.payload = bytes_ + node.at;
    auto* const positions = room_.take<PackedVector>(vectors);
    out.vectors = positions;
    if (positions == nullptr) return;
    HeaderReader rest{out.payload, 0, node.end - node.at};
    std::uint64_t base = 0;
    for (std::uint32_t v = 0; v < vectors; ++v) {
      const std::uint64_t words = words_of_tile(node.count, v);
      const std::uint8_t control = rest.get_byte();
      const unsigned width = control & 0x7F;
      base += rest.get_signed(8 * bytes);
      const std::uint64_t packed = rest.at;
      rest.skip((words * width + 7) / 8);
      if (rest.failed || width > 8 * bytes) return fail(ErrorCode::corrupt_frame);
      positions[v] = {base, packed | static_cast<std::uint64_t>(width) << 48 |
                                static_cast<std::uint64_t>(control >> 7) << 63};
      if (control < 0x80) continue;
      const std::uint32_t exceptions = rest.at;
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
  FLOE_DEVICE_CALL void open_int_mult(const Node& node, unsigned bytes, Cursor& out) {
    const std::uint64_t base = node.number[0], divisor = node.number[1];
    open_node<depth + 1>(node.child[0], out);
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
  FLOE_DEVICE_CALL void open_delta(const Node& node, unsigned bytes, Cursor& out) {
    if (node.parameter[0] != 1 || node.parameter[1] != 1) return fail(ErrorCode::unsupported_codec);
    const std::uint64_t first = HeaderReader{bytes_, node.at, node.end}.get_signed(8 * bytes);
    if (node.count == 1) {
      set_leaf(out, Cursor::Leaf::constant, bytes);
      out.constant = first;
      return;
    }
    open_node<depth + 1>(node.child[0], out);
    if (out.step_count > 0 || out.sums_up) return fail(ErrorCode::unsupported_codec);
    auto* const checkpoints =
        room_.take<std::uint8_t>(core::divide_up(node.count, Cursor::checkpoint_words) * bytes);
    add_task(CursorTask::Kind::checkpoints, out, node.count, first, checkpoints);
    out.sums_up = true;
    out.checkpoints = checkpoints;
    out.count = node.count;
  }

  /// Gaps and words of exceptions, if there are any: children `child` and `child` + 1.
  template <unsigned depth>
  FLOE_DEVICE_CALL void open_exceptions(const Node& node, unsigned child, CursorStep* step) {
    const std::uint32_t count = part_.nodes[node.child[child]].count;
    if (error_ != ErrorCode::ok || step == nullptr || count == 0) return;
    step->exception_count = count;
    Cursor *const gaps = take_cursor(), *const words = take_cursor();
    if (words == nullptr) return;
    open_node<depth + 1>(node.child[child], *gaps);
    auto* const positions = room_.take<std::uint64_t>(count);
    add_task(CursorTask::Kind::positions, *gaps, count, 0, positions);
    if (error_ != ErrorCode::ok) return;
    open_node<depth + 1>(node.child[child + 1], *words);
    step->exception_positions = positions;
    step->exception_words = take_words(*words, count, word_bytes(node.type));
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
  FLOE_DEVICE_CALL void open_decimal(const Node& node, unsigned bytes, Cursor& out) {
    open_node<depth + 1>(node.child[0], out);
    CursorStep* const step = add_step(out, CursorStep::Kind::decimal, node.parameter[1], bytes);
    if (step != nullptr) step->power = core::power_of_ten(node.parameter[0]);
    open_exceptions<depth>(node, 1, step);
  }

  template <unsigned depth>
  FLOE_DEVICE_CALL void open_dict(const Node& node, unsigned bytes, Cursor& out) {
    if (node.number[1] > 0)
      return fail(ErrorCode::unsupported_codec);  // which one a code means, the codes before it say
    Cursor* const entries = take_cursor();
    if (entries == nullptr) return;
    open_node<depth + 1>(node.child[0], *entries);
    const void* const table = take_words(*entries, node.number[0], bytes);
    if (error_ != ErrorCode::ok) return;
    open_node<depth + 1>(node.child[1], out);
    CursorStep* const step = add_step(out, CursorStep::Kind::dict, 2, bytes);
    if (step == nullptr) return;
    step->entries = table;
    step->entry_count = node.number[0];
  }

  static constexpr unsigned max_cursors = 8;

  CursorTask* tasks_;
  unsigned task_count_ = 0;
  IndexRoom room_;
  const std::uint8_t* bytes_ = nullptr;
  OpenedPart part_;
  Cursor cursors_[max_cursors];
  unsigned cursor_count_ = 0;
  ErrorCode error_ = ErrorCode::ok;
};

}  // namespace floe::gpu
