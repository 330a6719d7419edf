// The digest of the sources that the kernel was built from.
#pragma once

namespace yoddd {

extern const char* const source_digest;

}  // namespace yoddd
