// What encodings made of a stream on which several trees are tried, and of what they made of it.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// While one exists, a stream and those below it are encoded once with each encoding that trees have for
/// them. The words must stay as they are, and nothing else may lie where they lie.
class EncodingMemo {
 public:
  /// `bytes_of_slow`: that it may have besides, of what takes long.
  EncodingMemo(const ColumnView& stream, Scratch& scratch, std::uint64_t bytes_of_slow = 0)
      : scratch_(scratch),
        outer_(scratch.memo),
        known_{stream},
        bytes_left_(max_growth * stream.bytes()),
        bytes_left_for_slow_(bytes_of_slow) {
    scratch.memo = this;
  }
  EncodingMemo(const EncodingMemo&) = delete;
  EncodingMemo& operator=(const EncodingMemo&) = delete;
  ~EncodingMemo() { scratch_.memo = outer_; }

  struct Made {
    bool fits = false;
    std::optional<EncodingId> simpler;
    ByteWriter header;
    std::vector<Stream> children;
  };
  using Encode = bool (*)(const ColumnView& in, const Parameters& parameters, Encoded& out);
  /// What function(in, parameters) makes, which remains; null if the memo does not know the stream, or is
  /// full. `is_slow`: this takes long, or what does begins with it.
  const Made* encode(EncodingId id, Encode function, const ColumnView& in, const Parameters& parameters,
                     bool is_slow = false) {
    const auto stream = find(in);
    if (stream == known_.end()) return nullptr;
    const auto of = static_cast<std::size_t>(stream - known_.begin());
    if (const Made* const made = made_before(of, id, parameters)) return made;
    std::uint64_t& bytes_left = is_slow && bytes_left_ == 0 ? bytes_left_for_slow_ : bytes_left_;
    return bytes_left == 0 ? nullptr : &add({of, id, parameters, {}}, function, in, bytes_left);
  }
  /// What an encoding made of a stream before; null if it did not.
  [[nodiscard]] const Made* made_before(const ColumnView& in, EncodingId id,
                                        const Parameters& parameters) const {
    const auto stream = find(in);
    return stream == known_.end()
               ? nullptr
               : made_before(static_cast<std::size_t>(stream - known_.begin()), id, parameters);
  }
  /// What an encoding finds out about a stream, and needs again with other parameters: Of(arguments...) at
  /// first. It remains until that of another stream is asked for, or the stream is forgotten. Null if the
  /// memo does not know the stream. Each stream has notes of one type.
  template <class Of, class... Arguments>
  Of* notes_of(const ColumnView& in, Arguments&&... arguments) {
    const auto stream = find(in);
    if (stream == known_.end()) return nullptr;
    const auto of = static_cast<std::size_t>(stream - known_.begin());
    if (notes_ == nullptr || noted_ != of) {
      notes_.reset();  // before the next ones take memory
      notes_ = std::make_unique<Of>(std::forward<Arguments>(arguments)...);
      noted_ = of;
    }
    return static_cast<Of*>(notes_.get());
  }
  /// What is known at a time.
  struct Mark {
    std::size_t entries, known;
    std::uint64_t bytes_left, bytes_left_for_slow;
  };
  [[nodiscard]] Mark mark() const {
    return {entries_.size(), known_.size(), bytes_left_, bytes_left_for_slow_};
  }
  /// Forgets what was made since then.
  void forget_since(const Mark& mark) {
    while (entries_.size() > mark.entries) entries_.pop_back();
    known_.resize(mark.known);
    if (noted_ >= mark.known) notes_.reset();
    bytes_left_ = mark.bytes_left;
    bytes_left_for_slow_ = mark.bytes_left_for_slow;
  }
  [[nodiscard]] bool knows(const ColumnView& stream) const { return find(stream) != known_.end(); }

 private:
  [[nodiscard]] std::vector<ColumnView>::const_iterator find(const ColumnView& in) const {
    return std::find_if(known_.begin(), known_.end(), [&](const ColumnView& stream) {
      return in.values == stream.values && in.count == stream.count && in.type == stream.type;
    });
  }
  [[nodiscard]] const Made* made_before(std::size_t of, EncodingId id, const Parameters& parameters) const {
    for (const Entry& entry : entries_) {
      if (entry.of == of && entry.id == id && entry.parameters == parameters) return &entry.made;
    }
    return nullptr;
  }
  /// It is full when it has so many times the bytes of the stream.
  static constexpr std::uint64_t max_growth = 4;
  struct Entry {
    std::size_t of;  ///< The stream, in known_.
    EncodingId id;
    Parameters parameters;
    Made made;
  };
  const Made& add(Entry entry, Encode function, const ColumnView& in, std::uint64_t& bytes_left) {
    Made& made = entry.made;
    Encoded encoded{made.header, made.children, scratch_};
    made.fits = function(in, entry.parameters, encoded);
    made.simpler = encoded.simpler;
    std::uint64_t bytes = made.header.size();
    for (const Stream& child : made.children) {
      if (child.view().count > 0) known_.push_back(child.view());
      bytes += child.view().bytes();
    }
    bytes_left -= std::min(bytes_left, bytes);
    return entries_.emplace_back(std::move(entry)).made;
  }

  Scratch& scratch_;
  EncodingMemo* const outer_;
  std::vector<ColumnView> known_;  ///< The stream, and what was made of it.
  std::deque<Entry> entries_;
  std::uint64_t bytes_left_, bytes_left_for_slow_;
  std::unique_ptr<Notes> notes_;
  std::size_t noted_ = 0;  ///< The stream, in known_.
};

/// By the memo of the scratch memory, if there is one. It keeps what takes longer than touching more memory.
inline const EncodingMemo::Made* find_encoded(EncodingId id, EncodingMemo::Encode encode,
                                              const ColumnView& in, const Parameters& parameters,
                                              Scratch& scratch) {
  constexpr std::uint32_t min_picoseconds = 1000, slow_picoseconds = 10000;
  if (scratch.memo == nullptr) return nullptr;
  const std::uint32_t picoseconds = encoding_of(id).time.encode_picoseconds;
  return picoseconds < min_picoseconds
             ? scratch.memo->made_before(in, id, parameters)
             : scratch.memo->encode(id, encode, in, parameters, picoseconds >= slow_picoseconds);
}

/// What an encoding that has children makes of a stream: what the memo knows, or what is made here.
class EncodedOnce {
 public:
  EncodedOnce(const Encoding& encoding, const ColumnView& in, const Parameters& parameters, Scratch& scratch)
      : made_(find_encoded(encoding.id, encoding.encode, in, parameters, scratch)) {
    if (made_ != nullptr) return;
    Encoded encoded{own_.header, own_.children, scratch};
    own_.fits = encoding.encode(in, parameters, encoded);
  }
  [[nodiscard]] bool fits() const { return made().fits; }
  [[nodiscard]] ColumnView child(std::size_t index) const { return made().children[index].view(); }

 private:
  [[nodiscard]] const EncodingMemo::Made& made() const { return made_ != nullptr ? *made_ : own_; }

  const EncodingMemo::Made* made_;
  EncodingMemo::Made own_;
};

}  // namespace floe::trees
