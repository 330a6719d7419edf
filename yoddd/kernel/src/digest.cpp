// The digest that CMake computes; in a file of its own, since each change of a source changes it.
#include "digest.hpp"

namespace yoddd {

const char* const source_digest = YODDD_SOURCE_DIGEST;

}  // namespace yoddd
