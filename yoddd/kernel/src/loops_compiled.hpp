// All inner loops. Included once for each instruction set: these namespaces, and what they include,
// define nothing that the linker might keep for all callers.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "loops.hpp"

namespace yoddd {
namespace {
namespace choosing {
#include "choose_loop.hpp"
}
namespace filling {
#include "filling_loop.hpp"
}
namespace layering {
#include "layers_loop.hpp"
}
namespace playing {
#include "playout_loop.hpp"
}

constexpr Loops compiled_loops(const char* name) {
    using namespace filling;
    return {name,
            &playing::playout_loop,
            {&find_groups, &count_groups, &find_largest, &add_whites},
            {&layering::game, &layering::permute, &layering::halve},
            {&choosing::promise, &choosing::best, &choosing::spread, &choosing::gather}};
}

}  // namespace
}  // namespace yoddd
