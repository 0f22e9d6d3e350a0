// `npm run docs`. What builds the site is installed with everything else, unless optional packages were left out.
try {
  await import('./build.ts');
} catch (error) {
  if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error('The site is built by typedoc, which is not installed here: run "npm ci --include=optional" first.');
  process.exitCode = 1;
}
