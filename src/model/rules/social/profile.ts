import type { Issue } from '../../errors/issue.ts';
import { profileLimits as bounds } from '../../limits/profile-limits.ts';
import {
  checkBody,
  checkItems,
  checkList,
  checkNumber,
  checkRequiredEnum,
  checkRequiredText,
  checkText,
  checkWebAddress,
  type Fields,
  isAbsent,
  isFields,
  type Key,
} from '../field.ts';
import { checkTextMap } from '../lobbies/lobby.ts';
import type { Report } from '../report.ts';

const metadataBounds = {
  entriesMax: bounds.profileMetadataEntriesMax,
  keyLengthMax: bounds.profileMetadataLengthMax,
  valueLengthMax: bounds.profileMetadataLengthMax,
};

const texts = new Set(['season', 'rank_name', 'highest_rank', 'featured_played_character']);
const pictures = new Set(['rank_image', 'highest_rank_image', 'featured_played_character_image']);
const numbers = new Set([
  ...['playtime_hours', 'total_wins', 'current_period_wins', 'total_games', 'current_period_games'],
  ...['total_kills', 'current_period_kills', 'total_assists', 'current_period_assists'],
  ...['total_deaths', 'current_period_deaths'],
]);
const fieldTypes = { TEXT: 1, NUMBER: 2, PICTURE: 3 } as const;

/**
 * Checks the body by which an application's server changes the profile of a user.
 *
 * Unspecified: fields of the data that the interface does not name are rejected.
 *
 * @see docs/spec/social.md#application-profiles
 */
export function checkApplicationProfile(value: unknown): Issue[] {
  return checkBody(value, (report, { username, metadata, data }) => {
    if (!isAbsent(username)) checkText(report, 'username', username, 0, bounds.profileUsernameLengthMax);
    if (!isAbsent(metadata)) {
      report.enter('metadata');
      checkTextMap(report, metadata, metadataBounds);
      report.leave();
    }
    if (!isAbsent(data)) checkData(report, data);
  });
}

function checkData(report: Report, data: unknown): void {
  if (!isFields(data)) {
    report.at('data', 'DICT_TYPE_CONVERT');
    return;
  }
  if (new TextEncoder().encode(JSON.stringify(data)).length > bounds.profileDataBytesMax) {
    report.at('data', 'BASE_TYPE_MAX_LENGTH', bounds.profileDataBytesMax);
    return;
  }
  report.enter('data');
  const { primary, dynamic, ...others } = data;
  for (const key of Object.keys(others)) report.at(key, 'BASE_TYPE_CHOICES', ['primary', 'dynamic']);
  if (!isAbsent(primary)) checkPrimary(report, primary);
  if (!isAbsent(dynamic) && checkList(report, 'dynamic', dynamic, bounds.profileFieldsMax)) {
    checkItems(report, 'dynamic', dynamic, bounds.profileFieldsMax, checkField);
  }
  report.leave();
}

function checkPrimary(report: Report, primary: unknown): void {
  if (!isFields(primary)) {
    report.at('primary', 'DICT_TYPE_CONVERT');
    return;
  }
  report.enter('primary');
  for (const [key, value] of Object.entries(primary)) {
    if (isAbsent(value)) continue;
    if (texts.has(key)) checkText(report, key, value, 0, bounds.profileFieldLengthMax);
    else if (pictures.has(key)) checkPicture(report, key, value);
    else if (numbers.has(key)) checkFigure(report, key, value, key === 'playtime_hours' ? 'float' : 'int');
    else report.at(key, 'BASE_TYPE_CHOICES', [...texts, ...pictures, ...numbers]);
  }
  report.leave();
}

function checkField(report: Report, { type, name, value }: Fields): void {
  checkRequiredText(report, 'name', name, bounds.profileFieldLengthMax);
  if (!checkRequiredEnum(report, 'type', type, Object.values(fieldTypes))) return;
  if (isAbsent(value)) report.at('value', 'BASE_TYPE_REQUIRED');
  else if (type === fieldTypes.TEXT) checkText(report, 'value', value, 0, bounds.profileFieldLengthMax);
  else if (type === fieldTypes.NUMBER) checkFigure(report, 'value', value, 'float');
  else checkPicture(report, 'value', value);
}

function checkFigure(report: Report, key: Key, value: unknown, kind: 'int' | 'float'): void {
  checkNumber(report, key, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, kind);
}

function checkPicture(report: Report, key: Key, value: unknown): void {
  if (!isFields(value)) {
    report.at(key, 'DICT_TYPE_CONVERT');
    return;
  }
  report.enter(key);
  if (isAbsent(value.url)) report.at('url', 'BASE_TYPE_REQUIRED');
  else checkWebAddress(report, 'url', value.url, bounds.profileUrlLengthMax);
  report.leave();
}
