import type { ReadyLine, ServiceAddresses } from '../../../src/service/index.ts';

/** A service that runs as a process, as its ready line tells of it. */
export interface RunningService extends ServiceAddresses {
  readonly pid: number;
}

/** @param text the ready line */
export function readReadyLine(text: string): RunningService {
  const { api_base, web_base, gateway, control_base, control_token, pid } = JSON.parse(text) as ReadyLine;
  return { apiBase: api_base, webBase: web_base, gateway, controlBase: control_base, controlToken: control_token, pid };
}
