#include "core/spare_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <mutex>
#include <new>

namespace floe::core {
namespace {

constexpr std::size_t line_bytes = 64, huge_page_bytes = std::size_t{2} << 20;

constexpr bool is_large(std::size_t bytes) { return bytes >= 8 * huge_page_bytes; }
constexpr std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{is_large(bytes) ? huge_page_bytes : line_bytes};
}

constexpr std::size_t max_block_bytes = max_spare_bytes / 4;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_memory = false;  // so that what is used too late is seen
#else
constexpr bool keeps_memory = true;
#endif

/// What nobody uses.
template <class Memory>
class SpareList {
 public:
  SpareList() { kept_.reserve(max_count); }

  /// The smallest one with room; one without if there is none.
  Memory take(std::size_t bytes) {
    Memory memory;
    if (bytes < min_spare_bytes) return memory;
    const std::lock_guard lock(mutex_);
    auto best = kept_.end();
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
      if (at->capacity() >= bytes && (best == kept_.end() || at->capacity() < best->capacity())) best = at;
    }
    if (best == kept_.end()) return memory;
    memory.swap(*best);
    kept_bytes_ -= memory.capacity();
    kept_.erase(best);
    return memory;
  }

  /// Those that were kept for longest make room.
  void keep(Memory memory) {
    const std::size_t capacity = memory.capacity();
    if (!keeps_memory || capacity < min_spare_bytes || capacity > max_block_bytes) return;
    const std::lock_guard lock(mutex_);
    while (kept_.size() == max_count || kept_bytes_ + capacity > max_spare_bytes / 2) {
      kept_bytes_ -= kept_.front().capacity();
      kept_.erase(kept_.begin());
    }
    kept_.push_back(std::move(memory));
    kept_bytes_ += capacity;
  }

  void free_all() {
    const std::lock_guard lock(mutex_);
    kept_.clear();
    kept_bytes_ = 0;
  }

 private:
  static constexpr std::size_t max_count = 128;
  std::mutex mutex_;
  std::vector<Memory> kept_;
  std::size_t kept_bytes_ = 0;
};

/// Never destroyed: other threads may end later than static objects.
template <class Memory>
SpareList<Memory>& spare_list() {
  static auto& list = *new SpareList<Memory>;
  return list;
}

}  // namespace

AlignedMemory::AlignedMemory(std::size_t bytes)
    : memory_(static_cast<std::uint8_t*>(::operator new[](bytes, alignment_of(bytes)))), capacity_(bytes) {
#if defined(__linux__)
  // The first touch of so many small pages would cost more than the work that is done in them. It is a wish,
  // which may fail.
  if (is_large(bytes)) (void)madvise(memory_, bytes / huge_page_bytes * huge_page_bytes, MADV_HUGEPAGE);
#endif
}

AlignedMemory::~AlignedMemory() {
  if (memory_ != nullptr) ::operator delete[](memory_, alignment_of(capacity_));
}

AlignedMemory take_spare_block(std::size_t bytes) {
  AlignedMemory memory = spare_list<AlignedMemory>().take(bytes);
  return memory.data() == nullptr ? AlignedMemory(bytes) : std::move(memory);
}

void keep_spare(AlignedMemory block) noexcept { spare_list<AlignedMemory>().keep(std::move(block)); }

std::vector<std::uint8_t> take_spare_vector(std::size_t bytes) {
  std::vector<std::uint8_t> vector = spare_list<std::vector<std::uint8_t>>().take(bytes);
  vector.clear();
  vector.reserve(bytes);
  return vector;
}

void keep_spare(std::vector<std::uint8_t> vector) noexcept {
  spare_list<std::vector<std::uint8_t>>().keep(std::move(vector));
}

void free_spare_memory() noexcept {
  spare_list<AlignedMemory>().free_all();
  spare_list<std::vector<std::uint8_t>>().free_all();
}

}  // namespace floe::core
