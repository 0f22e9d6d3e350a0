import { missingRequiredParts } from './parts.ts';

/** Ends a run before its first test when a part is missing that RALLYPOINT_REQUIRED_PARTS names. */
export default async function checkRequiredParts(): Promise<void> {
  const missing = await missingRequiredParts();
  if (missing.length > 0)
    throw new Error(`RALLYPOINT_REQUIRED_PARTS names what is missing here:\n${missing.join('\n')}`);
}
