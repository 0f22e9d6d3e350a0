import { apiVersion } from '../../wire/routes.ts';

/**
 * Versions that clients may name, in paths and to the gateway alike. Our choice: the newest alone is spoken, and those
 * before it that still work are served as it.
 *
 * @see docs/spec/lobbies.md#webhook-events
 */
export const servedVersions: readonly number[] = [6, 7, 8, 9, apiVersion];

/** Whether that is how a version is written which this service serves. */
export function isServedVersion(text: string): boolean {
  return servedVersions.some(version => String(version) === text);
}
