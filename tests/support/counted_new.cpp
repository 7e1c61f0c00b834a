// Replaces operator new of the program that this is linked to.
#include "tests/support/counted_new.hpp"

void* operator new(std::size_t bytes) { return floe::test::Allocations::allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return floe::test::Allocations::allocate(bytes, 1); }
// Sorting asks for memory that it can do without.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return floe::test::Allocations::try_allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return floe::test::Allocations::try_allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return floe::test::Allocations::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return floe::test::Allocations::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { floe::test::Allocations::release(memory); }
void operator delete[](void* memory) noexcept { floe::test::Allocations::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { floe::test::Allocations::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { floe::test::Allocations::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { floe::test::Allocations::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { floe::test::Allocations::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  floe::test::Allocations::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  floe::test::Allocations::release(memory);
}
