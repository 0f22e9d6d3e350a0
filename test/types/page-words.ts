/** Compile-only: a language of the pages that leaves a word out, or adds one, is refused. */
import { en } from '../../src/service/features/oauth/pages/words/en.ts';
import type { PageWords } from '../../src/service/features/oauth/pages/words/words.ts';

const { identify, ...scopesWithoutOne } = en.scopes;
const { BAN_MEMBERS, ...permissionsWithoutOne } = en.permissions;
const { wrong, ...signInWithoutOne } = en.signIn;
export const left = { identify, BAN_MEMBERS, wrong };

export const whole: PageWords = { ...en, lang: 'x', scopes: { ...scopesWithoutOne, identify } };
// @ts-expect-error a scope has no words
export const noScope: PageWords = { ...en, scopes: scopesWithoutOne };
// @ts-expect-error a permission has no words
export const noPermission: PageWords = { ...en, permissions: permissionsWithoutOne };
// @ts-expect-error a word of the sign-in is missing
export const noWord: PageWords = { ...en, signIn: signInWithoutOne };
// @ts-expect-error there is no such scope
export const moreScopes: PageWords = { ...en, scopes: { ...en.scopes, nonsense: 'Do nonsense' } };
