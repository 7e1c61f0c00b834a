// Threads that read and write while the main thread works.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace floe::cli {

/// Starts a thread that leaves the signals that end the program to the main thread, which knows when they may
/// come. SIGPIPE is not among them: it goes to the thread that writes. Throws std::system_error.
template <class Work>
std::jthread start_helper_thread(Work&& work) {
  sigset_t held_back, before;
  ::sigemptyset(&held_back);
  for (const int signal_number : {SIGHUP, SIGINT, SIGTERM}) ::sigaddset(&held_back, signal_number);
  ::pthread_sigmask(SIG_BLOCK, &held_back, &before);
  struct Restore {
    const sigset_t& mask;
    ~Restore() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restore{before};
  return std::jthread(std::forward<Work>(work));
}

}  // namespace floe::cli
