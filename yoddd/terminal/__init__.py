"""Layer 7: the board in a terminal; only `app` needs the extra ``tui``."""
