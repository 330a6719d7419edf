// Threads that are kept for many short pieces of work.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "types.hpp"

namespace yoddd {

// Starting a thread takes longer than a step of some hundred games, so the helpers stay. After a
// piece of work a helper looks out for the next one for a moment, since waking it takes 20 to 30 us,
// and then sleeps. The caller never waits for a helper that has not begun. Each thread begins with
// a range of its own, the same for every piece of work, so that what it has written is in its
// cache; then it takes parts of the others' ranges.
class Crew {
public:
    // The caller's thread is one of them; the others are started by the first work.
    explicit Crew(int threads)
        : threads_(threads), ranges_(static_cast<std::size_t>(threads > 0 ? threads : 1)) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() { dismiss(); }

    int threads() const { return threads_; }

    // Call work(begin, end) for parts of 0 to count, on all threads. One caller at a time.
    void share(int count, const std::function<void(int, int)>& work);

private:
    void start();
    void dismiss();
    void give_up();
    void help(int own);
    bool is_called(u32& last);
    void take_parts(int own);

    const int threads_;
    std::vector<std::thread> helpers_;
    int process_ = 0;                // that started the helpers: a fork has none of them
    std::atomic<u32> call_{0};       // rises with each piece of work, and at the end
    std::atomic<bool> open_{false};  // there may be parts left
    std::atomic<bool> ending_{false};
    std::atomic<int> active_{0};  // helpers that may be looking at the work
    // Of the work; written by the caller while no helper is active.
    const std::function<void(int, int)>* work_ = nullptr;
    int part_ = 1;

    // The next part of a range; each on a cache line of its own.
    struct alignas(64) Range {
        std::atomic<int> next{0};
        int end = 0;
    };
    std::vector<Range> ranges_;
};

}  // namespace yoddd
