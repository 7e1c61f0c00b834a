// 32 stacks that take turns on one thread of the CPU, for the lanes of an emulated warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#if !defined(__x86_64__) || defined(__CET__)
#include <ucontext.h>
#endif

namespace floe::test {

/// Lanes that stay on their stacks from one run to the next. Who needs them no more leaves them to others:
/// new ones cost sanitizers two megabytes of notes. A turn is passed in a few instructions: swapcontext asks
/// the kernel for the mask of signals each time, and has the address sanitizer forget all of both stacks.
class LaneStacks {
 public:
  static constexpr unsigned lanes = 32;

  /// Stacks for as long as it lives.
  struct Loan {
    std::unique_ptr<LaneStacks> stacks = take_idle();

    Loan() = default;
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      const std::lock_guard lock(mutex());
      idle().push_back(std::move(stacks));
    }
  };

  static LaneStacks& of_this_thread() {
    thread_local const Loan loan;
    return *loan.stacks;
  }
  LaneStacks(const LaneStacks&) = delete;
  LaneStacks& operator=(const LaneStacks&) = delete;

  /// Calls body(lane) for every lane: for lane 0 first, for the next one as soon as that passes its turn or
  /// ends. Ends with the last lane, or as soon as one pauses.
  template <class Body>
  void run(const Body& body) {
    call_ = [](const void* user, unsigned lane) { (*static_cast<const Body*>(user))(lane); };
    body_ = &body;
    ++run_;
    change(caller_, context_[0]);
  }

  /// Has `run` or `go_on` end, and comes back with the next `go_on`, of the same lane.
  void pause(unsigned lane) { change(context_[lane], caller_); }
  void go_on(unsigned lane) { change(caller_, context_[lane]); }

  /// Goes on with the next lane, behind the last one with lane 0; comes back when the turn does.
  __attribute__((no_sanitize("address", "undefined"))) void pass_turn(unsigned lane) {
    change(context_[lane], context_[(lane + 1) % lanes]);
  }

 private:
  /// Not a power of two: the ends of all stacks would share few places of the caches.
  static constexpr std::size_t stack_bytes = (256 << 10) + 128;

  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static std::vector<std::unique_ptr<LaneStacks>>& idle() {
    static std::vector<std::unique_ptr<LaneStacks>> idle;
    return idle;
  }
  static std::unique_ptr<LaneStacks> take_idle() {
    const std::lock_guard lock(mutex());
    if (idle().empty()) return std::unique_ptr<LaneStacks>(new LaneStacks);
    std::unique_ptr<LaneStacks> stacks = std::move(idle().back());
    idle().pop_back();
    return stacks;
  }

  // What sanitizers note about a stack must not change where the turn is passed: no function ends there, and
  // none will not return.
  [[gnu::no_sanitize_address]] void go_through_runs(unsigned lane) {
    for (std::uint64_t last_run = 0;;) {
      if (run_ == last_run) std::abort();  // other lanes go on although this one has ended
      last_run = run_;
      call_(body_, lane);
      change(context_[lane], lane + 1 < lanes ? context_[lane + 1] : caller_);
    }
  }

#if defined(__x86_64__) && !defined(__CET__)
  // By a jump: __builtin_longjmp has to be called, and the processor, which would expect the return from that
  // call, mispredicts all returns that follow.
  struct Context {
    void *stack = nullptr, *next = nullptr;  ///< Where the stack ends, and where to go on.
    LaneStacks* all = nullptr;               ///< Of a lane that has not begun.
    unsigned lane = 0;
  };

  LaneStacks() {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto end = reinterpret_cast<std::uintptr_t>(stacks_.get() + (lane + 1) * stack_bytes);
      // As behind a call, at which the end of a stack is a multiple of 16, and from which none returns.
      auto* const top = reinterpret_cast<void**>(end / 16 * 16 - 24);
      *top = nullptr;
      context_[lane] = {top, reinterpret_cast<void*>(&LaneStacks::enter), this, lane};
    }
  }
  [[gnu::no_sanitize_address]] static void enter(Context*, Context* own) {
    own->all->go_through_runs(own->lane);
  }
  /// Behind the 128 bytes that a function may use beyond its stack, the only register is kept that cannot be
  /// named. Those of parameters have both positions, so that `enter` gets them.
  __attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static void change(
      Context& here, Context& there) {
    Context *from = &here, *to = &there;
    asm volatile(
        "subq $128, %%rsp\n\t"
        "pushq %%rbp\n\t"
        "movq %%rsp, (%%rdi)\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "movq %%rax, 8(%%rdi)\n\t"
        "movq (%%rsi), %%rsp\n\t"
        "jmpq *8(%%rsi)\n\t"
        "1:\n\t"
        "popq %%rbp\n\t"
        "addq $128, %%rsp"
        : "+D"(from), "+S"(to)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
          "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
          "xmm14", "xmm15", "cc", "memory");
  }
#else
  using Context = std::array<void*, 5>;  ///< As __builtin_setjmp fills it.

  LaneStacks() {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      ucontext_t context;
      getcontext(&context);
      context.uc_stack.ss_sp = stacks_.get() + lane * stack_bytes;
      context.uc_stack.ss_size = stack_bytes;
      const auto address = reinterpret_cast<std::uintptr_t>(this);
      makecontext(&context, reinterpret_cast<void (*)()>(&LaneStacks::enter), 3,
                  static_cast<unsigned>(address), static_cast<unsigned>(address >> 32), lane);
      begin(caller_, context);
    }
  }
  [[gnu::no_sanitize_address]] static void enter(unsigned low, unsigned high, unsigned lane) {
    auto& all = *reinterpret_cast<LaneStacks*>(std::uintptr_t{high} << 32 | low);
    change(all.context_[lane], all.caller_);
    all.go_through_runs(lane);
  }
  [[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] static void begin(
      Context& here, const ucontext_t& there) {
    if (__builtin_setjmp(here.data()) == 0) setcontext(&there);
  }
  __attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static void change(
      Context& here, Context& there) {
    if (__builtin_setjmp(here.data()) == 0) jump(there);
  }
  [[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread, noreturn]] static void jump(
      Context& there) {
    __builtin_longjmp(there.data(), 1);
  }
#endif

  std::unique_ptr<unsigned char[]> stacks_ =
      std::make_unique_for_overwrite<unsigned char[]>(lanes * stack_bytes);
  Context caller_{};
  Context context_[lanes]{};
  void (*call_)(const void* body, unsigned lane) = nullptr;
  const void* body_ = nullptr;
  std::uint64_t run_ = 0;
};

}  // namespace floe::test
