"""The store as the daemon uses it: journal, commits, waits, and the lock."""
