// What C++20 does not say and compilers spell differently. Where none of the spellings is known, as
// with MSVC, plain C++ gives the same results; YODDD_PORTABLE chooses it anywhere, for tests.
#pragma once

#include <cstddef>

#include "types.hpp"

#if defined(__GNUC__) && !defined(YODDD_PORTABLE)
#define YODDD_GNU 1
#else
#define YODDD_GNU 0
#endif

#if YODDD_GNU
#define YODDD_INLINE inline __attribute__((always_inline))
#define YODDD_MAY_ALIAS __attribute__((may_alias))
#elif defined(_MSC_VER)
#define YODDD_INLINE __forceinline
#define YODDD_MAY_ALIAS
#else
#define YODDD_INLINE inline
#define YODDD_MAY_ALIAS
#endif

// No turn of the loop that follows depends on one before it.
#if YODDD_GNU && !defined(__clang__)
#define YODDD_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define YODDD_INDEPENDENT __pragma(loop(ivdep))
#else
#define YODDD_INDEPENDENT
#endif

namespace yoddd {

#if YODDD_GNU && defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 u128;
#endif

// The upper half of a product of 128 bits.
YODDD_INLINE constexpr u64 upper_product(u64 one, u64 two) {
#if YODDD_GNU && defined(__SIZEOF_INT128__)
    return static_cast<u64>(static_cast<u128>(one) * two >> 64);
#else
    constexpr u64 half = 0xffffffff;
    const u64 low = (one & half) * (two & half);
    const u64 left = (one >> 32) * (two & half) + (low >> 32);
    const u64 right = (one & half) * (two >> 32) + (left & half);
    return (one >> 32) * (two >> 32) + (left >> 32) + (right >> 32);
#endif
}

// -- sixteen bytes or more at once -------------------------------------------------------------

#if YODDD_GNU
// GCC ignores the attribute on an alias whose size depends on a parameter.
template <class T, std::size_t Bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(Bytes)));
};
template <class T, std::size_t Bytes = 16>
using Lanes = typename VectorOf<T, Bytes>::type;
#else
template <class T, std::size_t Bytes = 16>
struct Lanes {
    static constexpr std::size_t size = Bytes / sizeof(T);
    T lane[size];

    T operator[](std::size_t i) const { return lane[i]; }
    Lanes& operator&=(const Lanes& other) { return *this = *this & other; }

    template <class Work>
    static Lanes each(Work work) {
        Lanes made;
        for (std::size_t i = 0; i < size; ++i) made.lane[i] = static_cast<T>(work(i));
        return made;
    }
    friend Lanes operator~(const Lanes& a) {
        return each([&](std::size_t i) { return ~a[i]; });
    }
    friend Lanes operator&(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t i) { return a[i] & b[i]; });
    }
    friend Lanes operator|(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t i) { return a[i] | b[i]; });
    }
    friend Lanes operator^(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t i) { return a[i] ^ b[i]; });
    }
    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t i) { return a[i] + b[i]; });
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) {
        return each([&](std::size_t i) { return a[i] - b[i]; });
    }
    friend Lanes operator-(const Lanes& a, T b) {
        return each([&](std::size_t i) { return a[i] - b; });
    }
    friend Lanes operator&(const Lanes& a, T b) {
        return each([&](std::size_t i) { return a[i] & b; });
    }
    friend Lanes operator<<(const Lanes& a, int by) {
        return each([&](std::size_t i) { return a[i] << by; });
    }
    friend Lanes operator>>(const Lanes& a, int by) {
        return each([&](std::size_t i) { return a[i] >> by; });
    }
    // As of the compilers' vectors: all bits where it holds, else none.
    friend Lanes operator>(const Lanes& a, T b) {
        return each([&](std::size_t i) { return a[i] > b ? ~T{0} : T{0}; });
    }
    friend Lanes operator==(const Lanes& a, T b) {
        return each([&](std::size_t i) { return a[i] == b ? ~T{0} : T{0}; });
    }
};
#endif

template <class AnyLanes>
YODDD_INLINE AnyLanes larger(const AnyLanes& one, const AnyLanes& two) {
#if YODDD_GNU
    return one > two ? one : two;
#else
    return AnyLanes::each([&](std::size_t i) { return one[i] > two[i] ? one[i] : two[i]; });
#endif
}

// -- words of two vectors of four ----------------------------------------------------------------------------------

#if YODDD_GNU && (defined(__clang__) || __GNUC__ >= 12)
#define YODDD_WORDS(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#elif YODDD_GNU
#define YODDD_WORDS(a, b, i, j, k, l) __builtin_shuffle(a, b, Lanes<u64, 32>{i, j, k, l})
#else
#define YODDD_WORDS(a, b, i, j, k, l)                                                             \
    (Lanes<u64, 32>{(i) < 4 ? (a)[(i) % 4] : (b)[(i) % 4], (j) < 4 ? (a)[(j) % 4] : (b)[(j) % 4], \
                    (k) < 4 ? (a)[(k) % 4] : (b)[(k) % 4], (l) < 4 ? (a)[(l) % 4] : (b)[(l) % 4]})
#endif

}  // namespace yoddd
