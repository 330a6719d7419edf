// Work in many parts on several threads, which the calling one can end.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <vector>

#include "threads.hpp"
#include "types.hpp"

namespace yoddd {

// Call task(i, thread, ended) for all i below `count` on so many threads, the calling one, 0,
// included, which polls `interrupted` after each part. A long task asks `ended(thread)` in between.
// What a task throws ends the others too. False if the work was ended.
template <class Task>
bool share(int threads, u64 count, const std::function<bool()>& interrupted, const Task& task) {
    std::atomic<u64> next{0};
    std::atomic<bool> stopped{false};
    std::exception_ptr failure;
    Mutex lock;
    const auto ended = [&](int thread) {
        if (thread == 0 && interrupted && interrupted()) stopped = true;
        return stopped.load();
    };
    const auto work = [&](int thread) {
        try {
            for (u64 i; !ended(thread) && (i = next++) < count;) task(i, thread, ended);
        } catch (...) {
            const std::lock_guard held(lock);
            failure = std::current_exception();
            stopped = true;
        }
    };
    std::vector<Thread> others;
    for (int i = 1; i < threads && static_cast<u64>(i) < count; ++i) others.emplace_back(work, i);
    work(0);
    for (Thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return !stopped;
}

}  // namespace yoddd
