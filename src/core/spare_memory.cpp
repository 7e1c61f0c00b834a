#include "core/spare_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <array>
#include <atomic>
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

/// A flag that one thread at a time sets, and nobody waits for.
struct Use {
  explicit Use(std::atomic_flag& of_all) noexcept
      : flag(of_all), is_ours(!flag.test_and_set(std::memory_order_acquire)) {}
  ~Use() {
    if (is_ours) flag.clear(std::memory_order_release);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  std::atomic_flag& flag;
  const bool is_ours;
};

/// What nobody uses, the one that was kept for longest first. Whoever finds the list in use goes without it:
/// no call waits for another one, not even in a child process that was forked meanwhile.
template <class Memory>
class SpareList {
 public:
  /// The smallest one with room; one without if there is none.
  Memory take(std::size_t bytes) noexcept {
    if (bytes < min_spare_bytes) return {};
    const Use use(in_use_);
    if (!use.is_ours) return {};
    std::size_t best = count_;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t capacity = kept_[i].capacity();
      if (capacity >= bytes && (best == count_ || capacity < kept_[best].capacity())) best = i;
    }
    return best == count_ ? Memory() : remove(best);
  }

  /// Those that were kept for longest make room.
  void keep(Memory memory) noexcept {
    const std::size_t capacity = memory.capacity();
    if (!keeps_memory || capacity < min_spare_bytes || capacity > max_block_bytes) return;
    const Use use(in_use_);
    if (!use.is_ours) return;
    while (count_ == kept_.size() || kept_bytes_ + capacity > max_spare_bytes / 2) remove(0);
    kept_[count_++].swap(memory);
    kept_bytes_ += capacity;
  }

  void free_all() noexcept {
    const Use use(in_use_);
    while (use.is_ours && count_ > 0) remove(count_ - 1);
  }

 private:
  Memory remove(std::size_t i) noexcept {
    Memory memory;
    memory.swap(kept_[i]);
    for (; i + 1 < count_; ++i) kept_[i].swap(kept_[i + 1]);
    --count_;
    kept_bytes_ -= memory.capacity();
    return memory;
  }

  std::atomic_flag in_use_;
  std::array<Memory, 128> kept_;
  std::size_t count_ = 0, kept_bytes_ = 0;
};

/// Never destroyed: other threads may end later than static objects.
template <class Memory>
SpareList<Memory>& spare_list() noexcept {
  alignas(SpareList<Memory>) static std::byte storage[sizeof(SpareList<Memory>)];
  static auto& list = *new (storage) SpareList<Memory>;
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
