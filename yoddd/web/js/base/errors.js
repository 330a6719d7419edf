// The errors that programs read. The reason is the message, which does not have the place.

/** A kernel that cannot be loaded, or a call that it refuses. */
export class KernelError extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** Rules that there are not, or a turn that they forbid. */
export class RulesError extends Error {
  /**
   * @param {string} reason
   * @param {string} about what is to blame: `game`, `board`, the name of an option, or `turn`
   * @param {number | null} [cell] of the stone that is to blame, where it is a single one
   */
  constructor(reason, about, cell = null) {
    super(reason);
    this.reason = reason;
    this.about = about;
    this.cell = cell;
  }
}

/** Text that is not as expected. */
export class NotationError extends Error {
  /** @param {string} reason @param {number} [column] from 1 @param {number} [line] from 1 @param {unknown} [cause] */
  constructor(reason, column = 1, line = 1, cause) {
    super(reason, { cause });
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}
