#include "crew.hpp"

#include <algorithm>
#include <chrono>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace yoddd {
namespace {

constexpr std::chrono::microseconds patience{50};
constexpr int least_part = 8;      // games share few cache lines so
constexpr int parts_a_thread = 8;  // so that a helper that comes late is of use

int process() {
#if defined(_WIN32)
    return 0;
#else
    return static_cast<int>(getpid());
#endif
}

}  // namespace

void Crew::share(int count, const std::function<void(int, int)>& work) {
    part_ = std::max(least_part, count / (parts_a_thread * threads_));
    if (threads_ == 1 || count <= part_) return work(0, count);
    start();
    work_ = &work;
    for (int i = 0; i < threads_; ++i) {
        const auto bound = [&](int n) { return static_cast<int>(i64{count} * n / threads_); };
        ranges_[i].next = bound(i);
        ranges_[i].end = bound(i + 1);
    }
    open_ = true;
    ++call_;
    call_.notify_all();
    take_parts(0);
    // A helper says that it is active before it looks whether the work is open.
    open_ = false;
    while (active_) std::this_thread::yield();
}

void Crew::start() {
    if (!helpers_.empty() && process_ == process()) return;
    give_up();
    process_ = process();
    while (static_cast<int>(helpers_.size()) < threads_ - 1)
        helpers_.emplace_back([this, own = static_cast<int>(helpers_.size()) + 1] { help(own); });
}

// After a fork: the handles of another process's threads can be neither joined nor ended.
void Crew::give_up() {
    if (helpers_.empty()) return;
    new std::vector<std::thread>(std::move(helpers_));
    helpers_.clear();
    active_ = 0;
}

void Crew::dismiss() {
    if (helpers_.empty()) return;
    if (process_ != process()) return give_up();
    ending_ = true;
    ++call_;
    call_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
}

void Crew::help(int own) {
    u32 last = 0;
    while (is_called(last)) {
        ++active_;
        if (open_) take_parts(own);
        --active_;
    }
}

// Waits until the calls are more than `last`; false at the end.
bool Crew::is_called(u32& last) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (call_ == last && std::chrono::steady_clock::now() < until) {}
    call_.wait(last);
    last = call_;
    return !ending_;
}

void Crew::take_parts(int own) {
    for (int i = 0; i < threads_; ++i) {
        Range& range = ranges_[(own + i) % threads_];
        for (int begin = range.next.fetch_add(part_); begin < range.end;
             begin = range.next.fetch_add(part_))
            (*work_)(begin, std::min(begin + part_, range.end));
    }
}

}  // namespace yoddd
