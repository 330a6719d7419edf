/** The text of what was thrown. @param {unknown} error */
export const reasonOf = (error) => (error instanceof Error ? error.message : String(error));
