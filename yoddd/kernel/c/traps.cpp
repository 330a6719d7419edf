// What WebAssembly without exceptions links against: an exception ends the program. Where memory lacks
// it asks the host for its end, so that the host can tell this from a trap.
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
extern const char _ZTISt9bad_alloc;  // its type, which no word of C++ names without RTTI

void* __cxa_allocate_exception(std::size_t) noexcept {
    alignas(std::max_align_t) static char exception[64];
    return exception;
}
[[noreturn]] void __cxa_throw(void*, const void* type, void (*)(void*)) {
    if (type == &_ZTISt9bad_alloc) std::_Exit(EXIT_FAILURE);
    std::abort();
}
}

namespace {

// What is called where `new` finds no memory.
[[maybe_unused]] const auto before = std::set_new_handler([] { std::_Exit(EXIT_FAILURE); });

}  // namespace
