/**
 * Whether `Accept` or `Accept-Encoding` names the value itself and does not exclude it by a weight of 0.
 *
 * @param value in lower case
 * @see RFC 9110, section 12.4.2
 */
export function accepts(header: string | undefined, value: string): boolean {
  return (header ?? '').split(',').some(item => {
    const [name = '', ...parameters] = item.split(';');
    return name.trim().toLowerCase() === value && !parameters.some(one => /^\s*q=0(?:\.0*)?\s*$/i.test(one));
  });
}
