// The digest of the sources that the kernel was built from, which CMake computes; in a file of its own,
// since each change of a source changes it.
namespace yoddd {

const char* source_digest() { return YODDD_SOURCE_DIGEST; }

}  // namespace yoddd
