// A wait between two steps of some work.

/** @param {number} milliseconds */
export const pause = (milliseconds) =>
  new Promise((resolve) => {
    window.setTimeout(resolve, milliseconds);
  });
