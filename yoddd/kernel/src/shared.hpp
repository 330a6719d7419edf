// Accesses to memory that threads share.
//
// They are relaxed: a value is read and written whole, in no order with others.
#pragma once

#include <atomic>
#include <type_traits>

#include "threads.hpp"

namespace yoddd {

constexpr std::size_t cache_line = 64;  // bytes that move together between processor cores

// A number in a plain array, which code that has it to itself also reads plainly and vectorised.
template <class T>
concept Word = std::is_arithmetic_v<T> && std::atomic_ref<T>::is_always_lock_free;

template <class T>
T load(const std::atomic<T>& value) {
    return value.load(std::memory_order_relaxed);
}

template <Word T>
T load(T& word) {
    return std::atomic_ref(word).load(std::memory_order_relaxed);
}

template <class T>
void store(std::atomic<T>& value, T to) {
    value.store(to, std::memory_order_relaxed);
}

template <Word T>
void store(T& word, T to) {
    std::atomic_ref(word).store(to, std::memory_order_relaxed);
}

// Add without a locked instruction: if two threads add at once, one update is lost. That may
// happen to a few visits in a million, which does no harm.
template <class T>
void add(std::atomic<T>& value, T by) {
    store(value, load(value) + by);
}

template <Word T>
void add(T& word, T by) {
    store(word, load(word) + by);
}

// A lock that is held for less than a microsecond and rarely contended.
class Spinlock {
public:
    void lock() {
        while (!try_lock())
            while (load(held_)) give_way();
    }
    bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
    void unlock() { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

}  // namespace yoddd
