#include "loops.hpp"

#include <atomic>
#include <cstring>

#if defined(YODDD_HAVE_V3)
#include <cpuid.h>
#endif

namespace yoddd {
namespace {

#if defined(YODDD_HAVE_V3)
// Asked of the processor itself: behind __builtin_cpu_supports some compilers have a stub that
// says no (Zig's, ziglang/zig#18074).
bool machine_has_v3() {
    constexpr unsigned first = bit_FMA | bit_POPCNT | bit_OSXSAVE | bit_AVX;
    constexpr unsigned seventh = bit_AVX2 | bit_BMI | bit_BMI2;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & first) != first) return false;
    unsigned kept = 0, upper = 0;  // the registers that the system saves: 6 is those of AVX
    __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
    return (kept & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & seventh) == seventh;
}
#endif

std::vector<const Loops*> available_loops() {
    std::vector<const Loops*> loops;
#if defined(YODDD_HAVE_V3)
    if (machine_has_v3()) loops.push_back(&v3_loops);
#endif
    loops.push_back(&baseline_loops);
    return loops;
}

std::atomic<const Loops*>& loops_in_use() {
    static std::atomic<const Loops*> loops{available_loops().front()};
    return loops;
}

}  // namespace

const Loops& loops() { return *loops_in_use().load(); }

std::vector<const char*> instruction_sets() {
    std::vector<const char*> names;
    for (const Loops* loops : available_loops()) names.push_back(loops->name);
    return names;
}

bool use_instruction_set(const char* name) {
    for (const Loops* loops : available_loops())
        if (!std::strcmp(loops->name, name)) {
            loops_in_use() = loops;
            return true;
        }
    return false;
}

}  // namespace yoddd
