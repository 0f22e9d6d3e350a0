import { dirname, join } from 'node:path';
import { takeNatives } from './release/natives.ts';

/**
 * `node scripts/take-native-files.ts FOLDER`: puts native files that other machines built into dist/native/. The public CI
 * calls it before it packs, so that what is published is what those machines built and tested.
 */
const [from] = process.argv.slice(2);
if (from === undefined) {
  console.error('Usage: node scripts/take-native-files.ts FOLDER');
  process.exitCode = 2;
} else {
  try {
    for (const file of takeNatives(from, join(dirname(import.meta.dirname), 'dist', 'native'))) console.log(file);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
