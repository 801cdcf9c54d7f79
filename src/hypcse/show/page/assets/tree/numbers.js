// Numbers as words for people.

/** @param {number} share */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.01) return "< 0.01 %";
  return `${value.toFixed(value >= 10 ? 1 : 2)} %`;
}

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString("en");
}

/**
 * A number in few digits.
 * @param {number} value
 */
export function brief(value) {
  return String(+value.toPrecision(4));
}
