// Memory of C. Where the host lends threads (threads.hpp) its functions are those of a single thread,
// and helpers.cpp puts a lock around them.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "threads.hpp"

namespace yoddd {

#if YODDD_THREADS == 2

void* allocate(std::size_t bytes);
void* allocate_zeros(std::size_t bytes);
void release(void* memory);

#else

inline void* allocate(std::size_t bytes) { return std::malloc(bytes); }
inline void* allocate_zeros(std::size_t bytes) { return std::calloc(bytes, 1); }
inline void release(void* memory) { std::free(memory); }

#endif

}  // namespace yoddd
