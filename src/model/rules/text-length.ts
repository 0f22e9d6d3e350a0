/** Length of a text in Unicode code points, as every bound of the interface counts it. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isHigh(text.charCodeAt(i - 1)) && isLow(text.charCodeAt(i))) count--;
  }
  return count;
}

/** Whether the text has more than `max` code points. Counts only when the answer is not plain from `length`. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePoints(text) > max);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
