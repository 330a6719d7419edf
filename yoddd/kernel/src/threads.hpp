// Threads, and what stands in for them where there are none, as in WebAssembly without shared
// memory, or where the host lends them. The one switch: YODDD_THREADS is 0 for none, which tests set
// as well, 1 for the system's, 2 for the host's (helpers.hpp).
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#if !defined(YODDD_THREADS)
#if defined(__wasm__) && !defined(_REENTRANT)
#define YODDD_THREADS 0
#else
#define YODDD_THREADS 1
#endif
#endif

#if YODDD_THREADS == 1
#include <condition_variable>
#include <mutex>
#include <thread>
#else
#include <chrono>
#include <mutex>  // std::lock_guard and std::unique_lock, which need no threads
#endif
#if YODDD_THREADS == 2
#include <memory>

#include "helpers.hpp"
#endif

namespace yoddd {

#if YODDD_THREADS == 1

using Thread = std::thread;
using Mutex = std::mutex;
using Condition = std::condition_variable;

inline void give_way() { std::this_thread::yield(); }

#elif YODDD_THREADS == 2

// Has its work done by a helper; where none is idle, at its beginning.
class Thread {
public:
    Thread() = default;
    template <class Work, class... Arguments>
    explicit Thread(Work&& work, Arguments&&... arguments) : joinable_(true) {
        auto call = [work = std::forward<Work>(work),
                     ... arguments = std::forward<Arguments>(arguments)]() mutable {
            std::invoke(work, arguments...);
        };
        using Made = Call<decltype(call)>;
        helper_ = hand_over(std::make_unique<Made>(std::move(call)));
    }
    bool joinable() const { return joinable_; }
    void join() {
        if (helper_ >= 0) await(helper_);
        joinable_ = false;
    }

private:
    template <class Work>
    struct Call : Task {
        explicit Call(Work&& work) : work(std::move(work)) {}
        void run() override { work(); }
        Work work;
    };

    bool joinable_ = false;
    int helper_ = -1;
};

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

inline void give_way() {}

#endif

// A lock that is held for less than a microsecond and rarely contended.
class Spinlock {
public:
    void lock() {
        while (!try_lock())
            while (held_.load(std::memory_order_relaxed)) give_way();
    }
    bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
    void unlock() { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

#if YODDD_THREADS == 2
using Mutex = Spinlock;
#endif

#if YODDD_THREADS != 1

// Search::wait is not called where this stands in: its threads are joined.
struct Condition {
    void notify_all() {}
    template <class Lock, class Length, class Ended>
    bool wait_for(Lock&, const Length&, Ended ended) {
        return ended();
    }
};

#endif

// Work beside the caller's, a piece at a time.
class Aside {
public:
    Aside() = default;
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;
    ~Aside() { wait(); }

    // Waits for the piece before.
    template <class Work>
    void run(Work work) {
        wait();
        thread_ = Thread(std::move(work));
    }

private:
    void wait() {
        if (thread_.joinable()) thread_.join();
    }

    Thread thread_;
};

}  // namespace yoddd
