import type { Issue } from '../../errors/issue.ts';
import { activityTypeMax } from '../../presence.ts';
import {
  checkBody,
  checkBoolean,
  checkEnum,
  checkInteger,
  checkItems,
  checkList,
  checkRequiredId,
  checkRequiredText,
  checkSizedList,
  checkSnowflake,
  checkString,
  codePoints,
  type Fields,
  isAbsent,
  isFields,
  type Key,
} from '../field.ts';
import type { Report } from '../report.ts';

/** Bounds of what users show of themselves. Lengths count Unicode code points. @see docs/spec/social.md#activity */
export const activityLimits = {
  nameLengthMax: 128,
  /** Of `state`, `details`, the party's id, the join secret, and the texts of images. */
  textLengthMin: 2,
  textLengthMax: 128,
  /** Of `state_url` and `details_url`. */
  urlLengthMin: 2,
  urlLengthMax: 256,
  /** Of an image's key or address. */
  imageLengthMax: 300,
  imageUrlLengthMax: 256,
  buttonsMax: 2,
  buttonLabelLengthMax: 32,
  buttonUrlLengthMax: 512,
  platformsMax: 10,
  /** Unspecified: how many activities one session shows. */
  activitiesMax: 10,
  customStatusLengthMax: 128,
  emojiNameLengthMax: 64,
  subscriptionsMax: 100,
} as const;

/** Where a game can run, in the order of the SDK's bits. */
export const activityPlatforms = [
  'desktop',
  'xbox',
  'samsung',
  'ios',
  'android',
  'embedded',
  'ps4',
  'ps5',
  'meta_quest',
] as const;

/** Playing, streaming, listening, watching, custom status, competing. */
const types = Array.from({ length: activityTypeMax + 1 }, (_, type) => type);
/** Name, state, details. */
const displayTypes = [0, 1, 2];
/** Private, public. */
const privacies = [0, 1];
const flagsMax = 2 ** 31 - 1;

/**
 * Checks an activity as op 3 carries it. A field that may be absent may also be null.
 *
 * Unspecified: what others are not shown of it is checked as well, except for `metadata`, of which only the addresses of buttons are.
 *
 * @see docs/spec/social.md#activity
 */
export function checkActivity(value: unknown): Issue[] {
  return checkBody(value, checkActivityFields);
}

/** Checks the `d` of op 3 of a player's session or a user's own client. @see docs/spec/social.md#presence */
export function checkPresence(value: unknown): Issue[] {
  return checkBody(value, (report, presence) => {
    const { since, activities, status, afk } = presence;
    checkChoice(report, 'status', status, settableStatuses);
    if (!isAbsent(since) && !isNumeric(since)) report.at('since', 'NUMBER_TYPE_COERCE', since, 'int');
    if (!isAbsent(afk)) checkBoolean(report, 'afk', afk);
    if (isAbsent(activities) || !checkList(report, 'activities', activities, activityLimits.activitiesMax)) return;
    checkItems(report, 'activities', activities, activityLimits.activitiesMax, checkActivityFields);
  });
}

/** What a client may set; `unknown` leaves it to the service. */
export const settableStatuses = ['online', 'idle', 'dnd', 'invisible', 'unknown'] as const;

/** Checks the body of `POST /users/@me/headless-sessions`. @see docs/spec/social.md#sessions */
export function checkHeadlessSession(value: unknown): Issue[] {
  return checkBody(value, (report, { activities, token }) => {
    if (!isAbsent(token)) checkRequiredText(report, 'token', token, 512);
    if (!checkSizedList(report, 'activities', activities, 1, 1)) return;
    checkItems(report, 'activities', activities, 1, (_, activity) => {
      checkActivityFields(report, activity);
      if (isAbsent(activity.name) || activity.name === '') report.at('name', 'BASE_TYPE_REQUIRED');
      if (isAbsent(activity.type)) report.at('type', 'BASE_TYPE_REQUIRED');
      if (isAbsent(activity.application_id)) report.at('application_id', 'BASE_TYPE_REQUIRED');
      if (isAbsent(activity.platform)) report.at('platform', 'BASE_TYPE_REQUIRED');
    });
  });
}

/** Checks the body of `POST /users/@me/headless-sessions/delete`. @see docs/spec/social.md#sessions */
export function checkHeadlessDelete(value: unknown): Issue[] {
  return checkBody(value, (report, { token }) => {
    checkRequiredText(report, 'token', token, 512);
  });
}

/** Checks the body of `PATCH /users/@me/settings`. @see docs/spec/social.md#settings */
export function checkSocialSettings(value: unknown): Issue[] {
  return checkBody(value, (report, settings) => {
    const { status, custom_status: custom, slayer_sdk_receive_dms_in_game: messages } = settings;
    if (status !== undefined) checkChoice(report, 'status', status, ['online', 'idle', 'dnd', 'invisible']);
    if (!isAbsent(custom)) inside(report, 'custom_status', custom, checkCustomStatus);
    if (messages !== undefined) checkEnum(report, 'slayer_sdk_receive_dms_in_game', messages, [0, 1, 2, 3]);
  });
}

/** Checks the body of `POST /users/@me/activities/subscribe`. @see docs/spec/social.md#presence */
export function checkSubscriptions(value: unknown): Issue[] {
  const { subscriptionsMax: max } = activityLimits;
  return checkBody(value, (report, { subscriptions }) => {
    if (!checkSizedList(report, 'subscriptions', subscriptions, 1, max)) return;
    checkItems(report, 'subscriptions', subscriptions, max, (_, { party_id, ...ids }) => {
      for (const name of ['user_id', 'application_id', 'message_id', 'channel_id']) {
        checkRequiredId(report, name, ids[name]);
      }
      if (isAbsent(party_id)) report.at('party_id', 'BASE_TYPE_REQUIRED');
      else checkShort(report, 'party_id', party_id);
    });
  });
}

function checkCustomStatus(report: Report, { text, emoji_id, emoji_name, expires_at }: Fields): void {
  const { customStatusLengthMax: textMax, emojiNameLengthMax: nameMax } = activityLimits;
  if (!isAbsent(text)) checkLength(report, 'text', text, 0, textMax);
  if (!isAbsent(emoji_id)) checkSnowflake(report, 'emoji_id', emoji_id);
  if (!isAbsent(emoji_name)) checkLength(report, 'emoji_name', emoji_name, 0, nameMax);
  if (isAbsent(expires_at) || !checkString(report, 'expires_at', expires_at)) return;
  if (Number.isNaN(Date.parse(expires_at))) report.at('expires_at', 'DATE_TIME_TYPE_PARSE', expires_at);
}

function checkActivityFields(report: Report, activity: Fields): void {
  const { urlLengthMin, urlLengthMax, nameLengthMax, buttonUrlLengthMax } = activityLimits;
  const { name, type, application_id, parent_application_id, status_display_type, flags, instance } = activity;
  // Unspecified: without a name, or with an empty one, the service fills in the application's.
  if (!isAbsent(name)) checkLength(report, 'name', name, 0, nameLengthMax);
  if (!isAbsent(type)) checkEnum(report, 'type', type, types);
  if (!isAbsent(application_id)) checkSnowflake(report, 'application_id', application_id);
  if (!isAbsent(parent_application_id)) checkSnowflake(report, 'parent_application_id', parent_application_id);
  for (const key of ['state', 'details']) if (!isAbsent(activity[key])) checkShort(report, key, activity[key]);
  for (const key of ['state_url', 'details_url'])
    if (!isAbsent(activity[key])) checkLength(report, key, activity[key], urlLengthMin, urlLengthMax);
  if (!isAbsent(activity.url)) checkLength(report, 'url', activity.url, 0, buttonUrlLengthMax);
  if (!isAbsent(status_display_type)) checkEnum(report, 'status_display_type', status_display_type, displayTypes);
  if (!isAbsent(flags)) checkInteger(report, 'flags', flags, 0, flagsMax);
  if (!isAbsent(instance)) checkBoolean(report, 'instance', instance);
  if (!isAbsent(activity.platform)) checkChoice(report, 'platform', activity.platform, activityPlatforms);
  if (!isAbsent(activity.timestamps)) inside(report, 'timestamps', activity.timestamps, checkTimestamps);
  if (!isAbsent(activity.party)) inside(report, 'party', activity.party, checkParty);
  if (!isAbsent(activity.assets)) inside(report, 'assets', activity.assets, checkAssets);
  if (!isAbsent(activity.secrets)) inside(report, 'secrets', activity.secrets, checkSecrets);
  if (!isAbsent(activity.emoji)) inside(report, 'emoji', activity.emoji, checkEmoji);
  if (!isAbsent(activity.metadata)) inside(report, 'metadata', activity.metadata, checkActivityMetadata);
  if (!isAbsent(activity.buttons)) checkButtons(report, activity.buttons);
  if (!isAbsent(activity.supported_platforms)) checkPlatforms(report, activity.supported_platforms);
}

function checkTimestamps(report: Report, { start, end }: Fields): void {
  if (!isAbsent(start)) checkInteger(report, 'start', start, 0, Number.MAX_SAFE_INTEGER);
  if (!isAbsent(end)) checkInteger(report, 'end', end, 0, Number.MAX_SAFE_INTEGER);
}

/** A party's `size` is its present size, at least 1, and its largest one, where 0 means that it has no bound. */
function checkParty(report: Report, { id, size, privacy }: Fields): void {
  if (!isAbsent(id)) checkShort(report, 'id', id);
  if (!isAbsent(privacy)) checkEnum(report, 'privacy', privacy, privacies);
  if (isAbsent(size) || !checkSizedList(report, 'size', size, 2, 2)) return;
  report.enter('size');
  checkInteger(report, 0, size[0], 1, flagsMax);
  checkInteger(report, 1, size[1], 0, flagsMax);
  report.leave();
}

function checkAssets(report: Report, assets: Fields): void {
  const { imageLengthMax, imageUrlLengthMax } = activityLimits;
  for (const key of ['large_image', 'small_image', 'invite_cover_image'])
    if (!isAbsent(assets[key])) checkLength(report, key, assets[key], 1, imageLengthMax);
  for (const key of ['large_text', 'small_text']) if (!isAbsent(assets[key])) checkShort(report, key, assets[key]);
  for (const key of ['large_url', 'small_url'])
    if (!isAbsent(assets[key])) checkLength(report, key, assets[key], 1, imageUrlLengthMax);
}

/** `spectate` and `match` have no effect any more. */
function checkSecrets(report: Report, secrets: Fields): void {
  for (const key of ['join', 'spectate', 'match']) if (!isAbsent(secrets[key])) checkShort(report, key, secrets[key]);
}

function checkEmoji(report: Report, { name, id, animated }: Fields): void {
  checkLength(report, 'name', name, 1, activityLimits.emojiNameLengthMax);
  if (!isAbsent(id)) checkSnowflake(report, 'id', id);
  if (!isAbsent(animated)) checkBoolean(report, 'animated', animated);
}

function checkActivityMetadata(report: Report, { button_urls: urls }: Fields): void {
  const { buttonsMax, buttonUrlLengthMax } = activityLimits;
  if (isAbsent(urls) || !checkList(report, 'button_urls', urls, buttonsMax)) return;
  report.enter('button_urls');
  for (const [place, url] of urls.slice(0, buttonsMax).entries())
    checkLength(report, place, url, 1, buttonUrlLengthMax);
  report.leave();
}

/** A button is a label with its address, or a label alone; the address is then among the metadata. */
function checkButtons(report: Report, buttons: unknown): void {
  const { buttonsMax, buttonLabelLengthMax, buttonUrlLengthMax } = activityLimits;
  if (!checkList(report, 'buttons', buttons, buttonsMax)) return;
  report.enter('buttons');
  for (const [place, button] of buttons.slice(0, buttonsMax).entries()) {
    if (isFields(button)) {
      report.enter(place);
      checkLength(report, 'label', button.label, 1, buttonLabelLengthMax);
      checkLength(report, 'url', button.url, 1, buttonUrlLengthMax);
      report.leave();
    } else checkLength(report, place, button, 1, buttonLabelLengthMax);
  }
  report.leave();
}

function checkPlatforms(report: Report, platforms: unknown): void {
  const { platformsMax } = activityLimits;
  if (!checkList(report, 'supported_platforms', platforms, platformsMax)) return;
  report.enter('supported_platforms');
  for (const [place, platform] of platforms.slice(0, platformsMax).entries())
    checkChoice(report, place, platform, activityPlatforms);
  report.leave();
}

/** An object in a field; the report stands at it. */
function inside(report: Report, key: Key, value: unknown, check: (report: Report, fields: Fields) => void): void {
  if (!isFields(value)) {
    report.at(key, 'DICT_TYPE_CONVERT');
    return;
  }
  report.enter(key);
  check(report, value);
  report.leave();
}

function checkShort(report: Report, key: Key, value: unknown): void {
  checkLength(report, key, value, activityLimits.textLengthMin, activityLimits.textLengthMax);
}

function checkLength(report: Report, key: Key, value: unknown, min: number, max: number): void {
  if (isAbsent(value)) {
    report.at(key, 'BASE_TYPE_REQUIRED');
    return;
  }
  if (!checkString(report, key, value)) return;
  report.textUnits += value.length;
  const length = codePoints(value);
  if (length < min || length > max) report.at(key, 'BASE_TYPE_BAD_LENGTH', min, max);
}

function checkChoice(report: Report, key: Key, value: unknown, choices: readonly string[]): void {
  if (isAbsent(value)) report.at(key, 'BASE_TYPE_REQUIRED');
  else if (checkString(report, key, value) && !choices.includes(value)) report.at(key, 'BASE_TYPE_CHOICES', choices);
}

/** A number, also as decimal text, as some clients send `since`. */
function isNumeric(value: unknown): boolean {
  if (typeof value === 'string') return /^[0-9]{1,16}$/.test(value);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
