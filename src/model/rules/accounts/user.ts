import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { checkBody, checkString, codePoints, isAbsent, isLonger } from '../field.ts';
import type { Report } from '../report.ts';

const forbiddenParts = ['@', '#', ':', '```', 'discord'];
const reserved: ReadonlySet<string> = new Set(['everyone', 'here']);

// What widespread builders send for a JPEG is "jpg".
const pictureStart = /^data:image\/(?:jpeg|jpg|png|gif|webp);base64,(?=[^=])/;
const notBase64 = /[^A-Za-z0-9+/=]/;

/** Checks the body that changes a bot's own user. @see docs/spec/http.md#users-and-guilds */
export function checkUserEdit(value: unknown): Issue[] {
  return checkBody(value, (report, { username, avatar, banner }) => {
    if (!isAbsent(username)) checkUsername(report, username);
    checkPicture(report, 'avatar', avatar);
    checkPicture(report, 'banner', banner);
  });
}

/** A username as it is kept: blanks around it go, and several in a row become one. */
export function trimUsername(name: string): string {
  return name.trim().replace(/\s+/g, ' ');
}

/** Lengths count once the name is trimmed. */
function checkUsername(report: Report, value: unknown): void {
  if (!checkString(report, 'username', value)) return;
  const { usernameLengthMin: min, usernameLengthMax: max } = limits;
  const name = trimUsername(value);
  if (isLonger(name, max) || codePoints(name) < min) report.at('username', 'BASE_TYPE_BAD_LENGTH', min, max);
  const inSmall = name.toLowerCase();
  for (const part of forbiddenParts) {
    if (inSmall.includes(part)) report.at('username', 'USERNAME_INVALID_CONTAINS', part);
  }
  if (reserved.has(inSmall)) report.at('username', 'USERNAME_RESERVED', inSmall);
}

function checkPicture(report: Report, key: string, value: unknown): void {
  if (isAbsent(value)) return;
  if (checkString(report, key, value) && !isPicture(value)) report.at(key, 'IMAGE_INVALID');
}

function isPicture(value: string): boolean {
  const start = pictureStart.exec(value)?.[0];
  return start !== undefined && !notBase64.test(value.slice(start.length));
}
