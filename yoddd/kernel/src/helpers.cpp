#include "helpers.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "memory.hpp"
#include "shared.hpp"

namespace yoddd {
namespace {

// A helper is absent until it has come, then idle, chosen by a caller who writes the task, called,
// and done until the caller has seen that.
enum State : int { absent, idle, chosen, called, done };

constexpr unsigned all = ~0U;
constexpr long long no_limit = -1;
constexpr long long moment = 50'000;  // nanoseconds
constexpr unsigned patience = 1024;   // calls of give_way from one sleep to the next

struct alignas(cache_line) Helper {
    std::atomic<int> state{absent};
    std::unique_ptr<Task> task;
};

Helper helpers[most_helpers];
std::atomic<bool> has_lost{false};
std::atomic<unsigned> work_done{0};

int* address(std::atomic<int>& word) { return reinterpret_cast<int*>(&word); }

void change(Helper& helper, State to) {
    helper.state.store(to);
    __builtin_wasm_memory_atomic_notify(address(helper.state), all);
}

void sleep_until(Helper& helper, State wanted) {
    for (int now = helper.state; now != wanted; now = helper.state)
        __builtin_wasm_memory_atomic_wait32(address(helper.state), now, no_limit);
}

Spinlock memory_lock;

// What there is not enough memory for ends the program by a trap.
void* checked(void* made) {
    if (!made) __builtin_trap();
    return made;
}

void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
    const std::lock_guard held(memory_lock);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
}

}  // namespace

void* allocate(std::size_t bytes) {
    const std::lock_guard held(memory_lock);
    return std::malloc(bytes);
}

void* allocate_zeros(std::size_t bytes) {
    const std::lock_guard held(memory_lock);
    return std::calloc(bytes, 1);
}

void release(void* memory) {
    const std::lock_guard held(memory_lock);
    std::free(memory);
}

int hand_over(std::unique_ptr<Task> task) {
    for (int number = 0; number < most_helpers; ++number) {
        Helper& helper = helpers[number];
        int expected = idle;
        if (!helper.state.compare_exchange_strong(expected, chosen)) continue;
        helper.task = std::move(task);
        change(helper, called);
        return number;
    }
    task->run();
    return -1;
}

void await(int number) {
    Helper& helper = helpers[number];
    sleep_until(helper, done);
    if (has_lost) __builtin_trap();
    helper.task = nullptr;
    helper.state = idle;
}

void help(int number) {
    Helper& helper = helpers[number];
    helper.state = idle;
    for (;;) {
        sleep_until(helper, called);
        helper.task->run();
        ++work_done;
        change(helper, done);
    }
}

unsigned helped() { return work_done; }

void lose(int number) {
    has_lost = true;
    change(helpers[number], done);
}

// Called while a lock is waited for.
void give_way() {
    static thread_local unsigned calls = 0;
    static std::atomic<int> nothing{0};
    if (has_lost) __builtin_trap();
    if (++calls % patience == 0) __builtin_wasm_memory_atomic_wait32(address(nothing), 0, moment);
}

}  // namespace yoddd

// The forms that the kernel and its standard library need; those for arrays call them.
void* operator new(std::size_t bytes) { return yoddd::checked(yoddd::allocate(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return yoddd::checked(yoddd::allocate_aligned(bytes, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return yoddd::allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return yoddd::allocate_aligned(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { yoddd::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { yoddd::release(memory); }
