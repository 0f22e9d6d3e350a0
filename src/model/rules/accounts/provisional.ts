import type { Issue } from '../../errors/issue.ts';
import { externalAuthTokenLengthMax, externalAuthTypes, isExternalAuthType } from '../../external-auth.ts';
import { limits } from '../../limits/limits.ts';
import {
  checkBody,
  checkRequiredId,
  checkRequiredText,
  checkSnowflake,
  checkString,
  checkText,
  type Fields,
  isAbsent,
} from '../field.ts';
import type { Report } from '../report.ts';

/**
 * Checks the body that asks for a provisional account's token, or to unmerge one, with a proof from elsewhere.
 *
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export function checkProvisionalToken(value: unknown): Issue[] {
  return checkBody(value, (report, body) => {
    checkRequiredId(report, 'client_id', body.client_id);
    checkSecret(report, 'client_secret', body.client_secret);
    checkExternalAuth(report, body);
  });
}

/** Checks the body by which a bot asks for a provisional account's token. @see docs/spec/oauth2.md#provisional-accounts */
export function checkBotProvisionalToken(value: unknown): Issue[] {
  return checkBody(value, (report, body) => {
    checkRequiredText(report, 'external_user_id', body.external_user_id, limits.externalUserIdLengthMax);
    checkGlobalName(report, 'preferred_global_name', body.preferred_global_name);
    if (!isAbsent(body.provisional_user_id)) checkSnowflake(report, 'provisional_user_id', body.provisional_user_id);
  });
}

/** Checks the body by which a bot unmerges an account. @see docs/spec/oauth2.md#provisional-accounts */
export function checkBotUnmerge(value: unknown): Issue[] {
  return checkBody(value, (report, body) => {
    checkRequiredText(report, 'external_user_id', body.external_user_id, limits.externalUserIdLengthMax);
  });
}

/** Checks the body that exchanges a parent application's token for one of its child's. @see docs/spec/oauth2.md#provisional-accounts */
export function checkChildToken(value: unknown): Issue[] {
  return checkBody(value, (report, body) => {
    checkRequiredText(report, 'parent_access_token', body.parent_access_token, externalAuthTokenLengthMax);
    checkRequiredId(report, 'child_application_id', body.child_application_id);
    checkSecret(report, 'parent_client_secret', body.parent_client_secret);
  });
}

/** Checks the body that changes how others see a provisional account. @see docs/spec/oauth2.md#provisional-accounts */
export function checkAccountEdit(value: unknown): Issue[] {
  return checkBody(value, (report, body) => checkGlobalName(report, 'global_name', body.global_name));
}

function checkExternalAuth(report: Report, { external_auth_type: type, external_auth_token: token }: Fields): void {
  checkRequiredText(report, 'external_auth_token', token, externalAuthTokenLengthMax);
  if (isAbsent(type)) report.at('external_auth_type', 'BASE_TYPE_REQUIRED');
  else if (checkString(report, 'external_auth_type', type) && !isExternalAuthType(type)) {
    report.at('external_auth_type', 'BASE_TYPE_CHOICES', externalAuthTypes);
  }
}

/** An empty secret is none, and so it is wrong where one is needed. */
function checkSecret(report: Report, key: string, value: unknown): void {
  if (!isAbsent(value)) checkText(report, key, value, 0, limits.clientSecretLengthMax);
}

function checkGlobalName(report: Report, key: string, value: unknown): void {
  if (!isAbsent(value)) checkText(report, key, value, 1, limits.globalNameLengthMax);
}
