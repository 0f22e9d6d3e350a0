import { dirname } from 'node:path';
import { compareApiReports, writeApiReports } from './release/api-reports.ts';

/**
 * Writes the API reports in `api/` from the built declarations. With `--check` it changes nothing, prints how the
 * reports differ from the declarations, and exits 1 when they do.
 */
const root = dirname(import.meta.dirname);

if (process.argv.includes('--check')) {
  const faults = compareApiReports(root);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log('The API reports describe the built types.');
} else {
  const changed = writeApiReports(root);
  console.log(changed.length > 0 ? `Changed in api/: ${changed.join(', ')}` : 'The API reports were current.');
}
