// Makes a Cursor of an encoded segment. One thread reads the tree, and finds the vectors of its leaves; what
// else has to be in memory for random access is left to a block. Compiled by nvcc, and by any compiler for
// tests.
#pragma once

#include "core/power_of_ten.hpp"
#include "floe/error.hpp"
#include "gpu/cursor/cursor_bytes.hpp"
#include "gpu/cursor/cursor_tasks.hpp"
#include "simd/kernels.hpp"
#include "tree/plan.hpp"

namespace floe::gpu {

using cuda::CursorStep;
using cuda::PackedVector;

/// Reads the head and the tree of a segment; for one thread. Lies in memory that a block shares: on the stack
/// of every thread it would be too large.
class CursorOpener {
 public:
  static constexpr unsigned max_tasks = 12, max_depth = 5;

  FLOE_HD CursorOpener(CursorTask* tasks, IndexRoom room) : tasks_(tasks), room_(room) {}

  FLOE_HD void open(BytesLeft bytes, DType type, std::uint64_t count, Cursor& cursor) {
    cursor = {};
    bytes_ = bytes;
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
  [[nodiscard]] FLOE_HD unsigned task_count() const { return task_count_; }

 private:
  struct Node {
    trees::EncodingId encoding;
    std::uint64_t parameters[2];
  };

  FLOE_HD void fail(ErrorCode error) {
    if (error_ == ErrorCode::ok) error_ = error;
  }

  /// Nodes whose encodings have no random access need not be understood: the first of them ends it.
  FLOE_HD void read_plan() {
    unsigned open_nodes = 1;
    for (; open_nodes > 0 && error_ == ErrorCode::ok; ++node_count_) {
      if (node_count_ == max_nodes) return fail(ErrorCode::unsupported_codec);
      Node& node = nodes_[node_count_];
      node.encoding = static_cast<trees::EncodingId>(bytes_.get_byte());
      unsigned parameters = 0, children = 0;
      switch (node.encoding) {
        case trees::EncodingId::raw:
        case trees::EncodingId::constant:
        case trees::EncodingId::bitpack:
          break;
        case trees::EncodingId::int_mult:
        case trees::EncodingId::sortable:
          children = 1;
          break;
        case trees::EncodingId::delta:
          parameters = 2;
          children = 1;
          break;
        case trees::EncodingId::decimal:
        case trees::EncodingId::dict:
          parameters = 2;
          children = 3;
          break;
        case trees::EncodingId::sparse:
          children = 2;
          break;
        default:
          fail(ErrorCode::unsupported_codec);
      }
      for (unsigned i = 0; i < parameters; ++i) node.parameters[i] = bytes_.get_varint();
      open_nodes += children - 1;
    }
    if (bytes_.failed) fail(ErrorCode::corrupt_frame);
  }

  /// Passes over the nodes of a sub-tree of no words, which has no bytes.
  FLOE_HD void skip_subtree() {
    for (unsigned open_nodes = 1; open_nodes > 0; --open_nodes) {
      const trees::EncodingId encoding = nodes_[next_node_++].encoding;
      if (encoding == trees::EncodingId::decimal || encoding == trees::EncodingId::dict) open_nodes += 3;
      if (encoding == trees::EncodingId::sparse) open_nodes += 2;
      if (encoding == trees::EncodingId::int_mult || encoding == trees::EncodingId::sortable ||
          encoding == trees::EncodingId::delta)
        ++open_nodes;
    }
  }

  FLOE_HD CursorStep* add_step(Cursor& cursor, CursorStep::Kind kind, unsigned bytes_in, unsigned bytes) {
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

  FLOE_HD void add_task(CursorTask::Kind kind, const Cursor& from, std::uint64_t count, std::uint64_t first,
                        void* to) {
    if (task_count_ == max_tasks) return fail(ErrorCode::unsupported_codec);
    if (to != nullptr) tasks_[task_count_++] = {kind, from, count, first, to};
  }

  /// The next node of the plan, for `count` > 0 words.
  template <unsigned depth>
  FLOE_HD void open_node(std::uint64_t count, unsigned bytes, Cursor& out) {
    if constexpr (depth == max_depth) {
      fail(ErrorCode::unsupported_codec);
    } else {
      const Node& node = nodes_[next_node_++];
      out.count = count;
      switch (node.encoding) {
        case trees::EncodingId::raw:
          out.leaf = Cursor::Leaf::raw;
          out.leaf_bytes = static_cast<std::uint8_t>(bytes);
          if (count > bytes_.left / bytes) return fail(ErrorCode::corrupt_frame);
          out.payload = bytes_.skip(count * bytes);
          break;
        case trees::EncodingId::constant:
          out.leaf = Cursor::Leaf::constant;
          out.leaf_bytes = static_cast<std::uint8_t>(bytes);
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

  FLOE_HD void open_bitpack(std::uint64_t count, unsigned bytes, Cursor& out) {
    const std::uint64_t payload_bytes = bytes_.get_varint();
    const std::uint8_t* const payload = bytes_.skip(payload_bytes);
    // Every vector has two bytes or more, so that a forged count does not ask for much.
    const std::uint64_t vectors = core::divide_up(count, trees::vector_words);
    if (bytes_.failed || vectors > payload_bytes / 2) return fail(ErrorCode::corrupt_frame);
    out.leaf = Cursor::Leaf::packed;
    out.leaf_bytes = static_cast<std::uint8_t>(bytes);
    out.payload = payload;
    auto* const places = room_.take<PackedVector>(vectors);
    out.vectors = places;
    if (places == nullptr) return;
    BytesLeft rest{payload, payload_bytes};
    std::uint64_t base = 0;
    for (std::uint64_t v = 0; v < vectors; ++v) {
      const std::uint64_t words = v + 1 < vectors ? trees::vector_words : count - v * trees::vector_words;
      const std::uint8_t control = rest.get_byte();
      const unsigned width = control & 0x7F;
      base += rest.get_signed(bytes);
      const std::uint8_t* const packed = rest.skip((words * width + 7) / 8);
      if (rest.failed || width > 8 * bytes) return fail(ErrorCode::corrupt_frame);
      places[v] = {base, static_cast<std::uint64_t>(packed - payload) |
                             static_cast<std::uint64_t>(width) << 48 |
                             static_cast<std::uint64_t>(control >> 7) << 63};
      if (control < 0x80) continue;
      const std::uint8_t* const exceptions = rest.at;
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
  FLOE_HD void open_int_mult(std::uint64_t count, unsigned bytes, Cursor& out) {
    const std::uint64_t base = bytes_.get_signed(bytes), divisor = bytes_.get_varint();
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
  FLOE_HD void open_delta(const Node& node, std::uint64_t count, unsigned bytes, Cursor& out) {
    if (node.parameters[0] != 1 || node.parameters[1] != 1) return fail(ErrorCode::unsupported_codec);
    const std::uint64_t first = bytes_.get_signed(bytes);
    if (count == 1) {
      skip_subtree();
      out.leaf = Cursor::Leaf::constant;
      out.leaf_bytes = static_cast<std::uint8_t>(bytes);
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
  FLOE_HD void open_exceptions(std::uint64_t count, std::uint64_t exception_count, unsigned bytes,
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
  FLOE_HD Cursor* take_cursor() {
    if (cursor_count_ < max_cursors) return &cursors_[cursor_count_++];
    fail(ErrorCode::unsupported_codec);
    return nullptr;
  }

  /// Room for the words that a cursor has, and the task to write them.
  FLOE_HD const void* take_words(const Cursor& from, std::uint64_t count, unsigned bytes) {
    auto* const to = room_.take<std::uint8_t>(count * bytes);
    add_task(CursorTask::Kind::words, from, count, bytes, to);
    return to;
  }

  template <unsigned depth>
  FLOE_HD void open_decimal(const Node& node, std::uint64_t count, unsigned bytes, Cursor& out) {
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
  FLOE_HD void open_dict(std::uint64_t count, unsigned bytes, Cursor& out) {
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
  FLOE_HD void open_sparse(std::uint64_t count, unsigned bytes, Cursor& out) {
    out.leaf = Cursor::Leaf::constant;
    out.leaf_bytes = static_cast<std::uint8_t>(bytes);
    out.constant = bytes_.get_word(bytes);
    const std::uint64_t exceptions = bytes_.get_varint();
    open_exceptions<depth>(count, exceptions, bytes,
                           add_step(out, CursorStep::Kind::exceptions, bytes, bytes));
  }

  static constexpr unsigned max_nodes = 24, max_cursors = 8;

  CursorTask* tasks_;
  unsigned task_count_ = 0;
  IndexRoom room_;
  BytesLeft bytes_;
  Cursor cursors_[max_cursors];
  unsigned cursor_count_ = 0;
  Node nodes_[max_nodes];
  unsigned node_count_ = 0, next_node_ = 0;
  ErrorCode error_ = ErrorCode::ok;
};

}  // namespace floe::gpu
