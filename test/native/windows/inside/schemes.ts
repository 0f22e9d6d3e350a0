import { doctor } from '../../../../src/sdk/redirect/doctor.ts';
import { builtAddon } from '../../built.ts';

export { registerScheme, unregisterScheme } from '../../../../src/sdk/redirect/register.ts';
export { doctor };

/** The program of the agent itself. */
export const program = (): string => process.execPath;

export async function handlerOf(scheme: string): Promise<unknown> {
  return (await builtAddon()).handlerOf(scheme) ?? null;
}
