// Work that is done again only when what it depends on has changed.

/**
 * `make` with its last result kept: it runs only if an argument is another object or value than in
 * the call before.
 * @template {readonly unknown[]} A
 * @template R
 * @param {(...inputs: A) => R} make
 * @returns {(...inputs: A) => R}
 */
export function memo(make) {
  /** @type {{inputs: A, result: R} | null} */
  let last = null;
  return (...inputs) => {
    if (!last?.inputs.every((input, index) => Object.is(input, inputs[index]))) {
      last = { inputs, result: make(...inputs) };
    }
    return last.result;
  };
}
