import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import {
  checkBody,
  checkBoolean,
  checkList,
  checkObjectItem,
  checkSnowflake,
  checkText,
  type Fields,
  isAbsent,
} from '../field.ts';
import { Report } from '../report.ts';

/**
 * Checks the `d` of op 17: a list of the calls that a session is in from now on, at most
 * `limits.lobbyCallsPerSessionMax`.
 *
 * Unspecified: a lobby may be named twice; what is said last counts.
 *
 * @see docs/spec/gateway.md#calls
 */
export function checkLobbyVoiceStates(value: unknown): Issue[] {
  const report = new Report();
  const max = limits.lobbyCallsPerSessionMax;
  if (!Array.isArray(value)) report.here('LIST_TYPE_CONVERT');
  else if (value.length > max) report.here('BASE_TYPE_MAX_LENGTH', max);
  else checkItems(report, value);
  return report.issues;
}

/** Checks the `d` of op 42. @see docs/spec/gateway.md#calls */
export function checkLobbyVoicePing(value: unknown): Issue[] {
  return checkBody(value, checkLobbyId);
}

function checkItems(report: Report, items: readonly unknown[]): void {
  report.enter(0);
  for (const [place, item] of items.entries()) {
    report.moveTo(place);
    if (checkObjectItem(report, item)) checkState(report, item);
  }
  report.leave();
}

function checkState(report: Report, state: Fields): void {
  checkLobbyId(report, state);
  checkBoolean(report, 'self_mute', state.self_mute);
  checkBoolean(report, 'self_deaf', state.self_deaf);
  if (!isAbsent(state.self_video)) checkBoolean(report, 'self_video', state.self_video);
  if (!isAbsent(state.preferred_region)) checkRegion(report, 'preferred_region', state.preferred_region);
  checkRegions(report, state.preferred_regions);
}

function checkRegions(report: Report, regions: unknown): void {
  if (isAbsent(regions) || !checkList(report, 'preferred_regions', regions, limits.voiceRegionsMax)) return;
  report.enter('preferred_regions');
  for (const [place, region] of regions.slice(0, limits.voiceRegionsMax).entries()) checkRegion(report, place, region);
  report.leave();
}

function checkRegion(report: Report, key: string | number, region: unknown): void {
  checkText(report, key, region, 0, limits.voiceRegionLengthMax);
}

function checkLobbyId(report: Report, { lobby_id }: Fields): void {
  if (isAbsent(lobby_id) || lobby_id === '') report.at('lobby_id', 'BASE_TYPE_REQUIRED');
  else checkSnowflake(report, 'lobby_id', lobby_id);
}
