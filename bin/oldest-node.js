// Which Node.js runs this package. Plain JavaScript for old ones, because it runs before anything else can.

/** The oldest Node.js that runs this package; the same as `engines` in package.json. */
export const oldestNode = '22.13.0';

/** Whether `version` (`v22.13.0`) is `oldestNode` or newer. */
export function isNewEnough(version) {
  const [major, minor] = numbers(version);
  const [oldestMajor, oldestMinor] = numbers(oldestNode);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

const numbers = version => version.replace('v', '').split('.').map(Number);
