/* What the WebAssembly module with shared memory has besides yoddd.h. It starts no threads: the host
 * lends them. Each helper is an instance over the same memory, made in a worker of its own, whose
 * __stack_pointer is set to the end of memory that the first instance has allocated and whose
 * __wasm_init_tls was called with some more, __tls_size bytes of it; _initialize is for the first
 * instance alone. A search or a proof with several threads then uses as many helpers as are idle,
 * the caller's thread included, so that it may run nowhere where waiting is forbidden.
 */
#ifndef YODDD_HELPERS_H
#define YODDD_HELPERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The most helpers that there may be. */
int yoddd_most_helpers(void);
/* Work as a helper, numbered from 0 on. Does not return: the host ends the worker. */
void yoddd_help(int helper);
/* How many pieces of work helpers have done, of which a search has one for each. */
unsigned yoddd_helped(void);
/* Say that yoddd_help has ended by a trap. The search that waits for it then traps as well. */
void yoddd_lose(int helper);

#ifdef __cplusplus
}
#endif

#endif
