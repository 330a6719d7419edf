// Threads, and what stands in for them where there are none, as in WebAssembly without shared
// memory. The one switch: YODDD_THREADS, which may also be set to 0 for tests.
#pragma once

#include <functional>
#include <utility>

#if !defined(YODDD_THREADS)
#if defined(__wasm__) && !defined(_REENTRANT)
#define YODDD_THREADS 0
#else
#define YODDD_THREADS 1
#endif
#endif

#if YODDD_THREADS
#include <condition_variable>
#include <mutex>
#include <thread>
#else
#include <chrono>
#include <mutex>  // std::lock_guard and std::unique_lock, which need no threads
#endif

namespace yoddd {

constexpr bool has_threads = YODDD_THREADS;

#if YODDD_THREADS

using Thread = std::thread;
using Mutex = std::mutex;
using Condition = std::condition_variable;

inline void give_way() { std::this_thread::yield(); }

#else

// Does all of its work at its beginning.
class Thread {
public:
    Thread() = default;
    template <class Work, class... Arguments>
    explicit Thread(Work&& work, Arguments&&... arguments) : joinable_(true) {
        std::invoke(std::forward<Work>(work), std::forward<Arguments>(arguments)...);
    }
    bool joinable() const { return joinable_; }
    void join() { joinable_ = false; }

private:
    bool joinable_ = false;
};

struct Mutex {
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
};

struct Condition {
    void notify_all() {}
    template <class Lock, class Length, class Ended>
    bool wait_for(Lock&, const Length&, Ended ended) {
        return ended();
    }
};

inline void give_way() {}

#endif

}  // namespace yoddd
