// What is known of the columns of a segment before their turn comes? While the segment before it is coded, columns are read and their
// streams looked at; whoever codes them takes what is there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plan/look_ahead/look_ahead.hpp"
#include "rows/row_source.hpp"

namespace floe::tables {

/// A column that was read before its turn.
struct ColumnAhead {
  ColumnContent content;
  std::vector<std::unique_ptr<series::LookAhead>> streams;  ///< Null for those of which nothing can be guessed.
};

/// Where one thread leaves a column for another one.
class ColumnPlace {
 public:
  /// Whether the caller is the first who comes; then it has to put(). Otherwise nothing changes.
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (state_ != State::untouched) return false;
    state_ = State::begun;
    return true;
  }
  /// Null if reading failed.
  void put(std::shared_ptr<ColumnAhead> column) {
    const std::lock_guard lock(mutex_);
    column_ = std::move(column);
    state_ = State::complete;
    complete_.notify_all();
  }
  /// What was put, after waiting for it if that was begun; null otherwise, and nobody begins any more.
  std::shared_ptr<ColumnAhead> take(const series::LookAhead::OnWait& on_wait = {}) {
    std::unique_lock lock(mutex_);
    if (state_ == State::untouched) state_ = State::complete;
    if (state_ == State::begun) {
      if (on_wait) on_wait(true);
      complete_.wait(lock, [this] { return state_ == State::complete; });
      if (on_wait) on_wait(false);
    }
    return std::move(column_);
  }

 private:
  enum class State : std::uint8_t { untouched, begun, complete };
  std::mutex mutex_;
  std::condition_variable complete_;
  State state_ = State::untouched;
  std::shared_ptr<ColumnAhead> column_;
};

class NextSegment {
 public:
  NextSegment(std::shared_ptr<const SegmentRows> rows, std::uint32_t column_count) : rows_(std::move(rows)), places_(column_count) {}
  [[nodiscard]] const SegmentRows& rows() const { return *rows_; }
  [[nodiscard]] ColumnPlace& place(std::uint32_t column) { return places_[column]; }
  /// When this returns nobody reads the rows any more, nor will.
  void close() {
    for (ColumnPlace& place : places_) {
      const std::shared_ptr<ColumnAhead> column = place.take();
      for (std::size_t i = 0; column != nullptr && i < column->streams.size(); ++i) {
        if (column->streams[i] != nullptr) column->streams[i]->stop();
      }
    }
  }

 private:
  std::shared_ptr<const SegmentRows> rows_;
  std::vector<ColumnPlace> places_;
};

}  // namespace floe::tables
