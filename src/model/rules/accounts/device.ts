import type { Issue } from '../../errors/issue.ts';
import { type DeviceResult, deviceResults } from '../../oauth.ts';
import { checkBody, checkRequiredText, isAbsent } from '../field.ts';

/** Unspecified: what a person types may be longer than the code itself, for blanks and hyphens in it. */
const typedLengthMax = 100;

/** Checks the body that asks what a device wants: `{user_code}`. @see docs/spec/oauth2.md#devices */
export function checkDeviceVerify(value: unknown): Issue[] {
  return checkBody(value, (report, { user_code }) => {
    checkRequiredText(report, 'user_code', user_code, typedLengthMax);
  });
}

/** Checks the body that answers a device: `{user_code, result}`. @see docs/spec/oauth2.md#devices */
export function checkDeviceFinish(value: unknown): Issue[] {
  return checkBody(value, (report, { user_code, result }) => {
    checkRequiredText(report, 'user_code', user_code, typedLengthMax);
    if (isAbsent(result)) report.at('result', 'BASE_TYPE_REQUIRED');
    else if (!deviceResults.includes(result as DeviceResult)) report.at('result', 'BASE_TYPE_CHOICES', deviceResults);
  });
}
