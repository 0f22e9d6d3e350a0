/** Versions of the form 1.2.3, the only ones that this package is released as. */
export type Bump = 'major' | 'minor' | 'patch';

/** Negative when `left` is older, positive when it is newer. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  const differing = a.findIndex((number, index) => number !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

export function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(text);
}

export function bump(version: string, by: Bump): string {
  const [major = 0, minor = 0, patch = 0] = numbersOf(version);
  if (by === 'major') return `${major + 1}.0.0`;
  return by === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
