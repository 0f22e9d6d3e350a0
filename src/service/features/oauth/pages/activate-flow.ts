import { RequestError } from '../../../support/request-error.ts';
import type { Authorization } from '../authorize/authorization.ts';
import type { PageFlow } from './page-flow.ts';
import { activatePaths } from './paths.ts';
import { codePage, deviceConsentPage, devicePage } from './views/activate-pages.ts';
import type { Page } from './views/page.ts';
import type { PageWords } from './words/words.ts';

/**
 * The page whose address devices show: the user types the code, signs in, and answers. The code is looked up only after
 * sign-in, so that wrong codes can be counted for the user.
 */
export function createActivateFlow({ device }: Authorization): PageFlow<string> {
  const { page, signOut } = activatePaths;

  function unknownCodePage(words: PageWords, userCode: string): Page {
    return codePage(words, page, userCode);
  }

  return {
    paths: activatePaths,

    load(parameters, words) {
      const userCode = parameters.get('user_code') ?? '';
      return userCode.trim() === '' ? codePage(words, page) : { purpose: userCode };
    },

    introduce: () => ({ formActions: [] }),

    async show({ purpose: userCode, search, user, formToken, words }) {
      const found = await device.find({ userCode, userId: user.id });
      if (!found) return unknownCodePage(words, userCode);
      if (found.state !== 'pending') return devicePage(words, 'answered', page);
      const decideAction = page + search;
      const signOutAction = signOut + search;
      return deviceConsentPage({ words, device: found, userCode, user, formToken, decideAction, signOutAction });
    },

    async answer({ purpose: userCode, user, words }, form) {
      const decision = form.decision === 'approve' ? 'approve' : 'deny';
      try {
        const found = await device.find({ userCode, userId: user.id });
        if (!found) return unknownCodePage(words, userCode);
        await device.decide({ userCode, userId: user.id, decision });
        return devicePage(words, decision === 'approve' ? 'granted' : 'denied', page, found.application.name);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        if (error.reason === 'not_found') return unknownCodePage(words, userCode);
        if (error.reason === 'bad_request') return devicePage(words, 'answered', page);
        throw error;
      }
    },
  };
}
