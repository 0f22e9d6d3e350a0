/** This package's version; the same as in package.json (test/package/version.test.ts holds them together). */
export const version = '0.1.0';
