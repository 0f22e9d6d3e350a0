import type { AuthorizationPageFault } from '../../authorize/authorization-request.ts';
import type { Content, Html } from '../views/html.ts';
import type { PermissionName } from '../views/permissions.ts';
import type { EffectiveScope, Topic } from '../views/scopes.ts';

/** A sentence with something in it: a name, an address. */
export type Sentence = (about: Content) => Html;

/** The text of a page that shows a result. */
export interface Outcome {
  readonly heading: string;
  readonly lead: string;
}

/** All texts of the pages in one language. Each language is one file. */
export interface PageWords {
  /** The value of the `lang` attribute. */
  readonly lang: string;
  /** Says that the texts are machine-assisted; absent from English, which the maintainers write. */
  readonly translationNote?: string;
  /** The address of the same page in English, set for each request. */
  readonly englishPage?: string;
  readonly signIn: SignInWords;
  readonly consent: ConsentWords;
  readonly activate: ActivateWords;
  readonly errors: ErrorWords;
  /** Headings among the parts of an umbrella scope. */
  readonly topics: Readonly<Record<Topic, string>>;
  /** What each scope lets an application do; completes "… will be able to". */
  readonly scopes: Readonly<Record<EffectiveScope, string>>;
  /** What each permission lets a bot do in a server. */
  readonly permissions: Readonly<Record<PermissionName, string>>;
}

export interface SignInWords {
  readonly chooseHeading: string;
  readonly passwordHeading: string;
  readonly toApplication: Sentence;
  readonly toDevice: string;
  readonly noUsers: string;
  readonly anotherUser: string;
  readonly userId: string;
  readonly userName: string;
  readonly password: string;
  readonly submit: string;
  readonly developerNote: string;
  readonly wrong: string;
  readonly tooMany: (minutes: number) => string;
}

export interface ConsentWords {
  readonly heading: Sentence;
  readonly notYou: string;
  readonly able: Sentence;
  readonly notAble: Sentence;
  /** What no application is ever able to do. */
  readonly never: string;
  /** Names the requested scopes that have no effect at this service. */
  readonly noEffect: (name: Content, scopes: Content) => Html;
  readonly toServer: string;
  readonly chooseServer: string;
  readonly toNoServer: string;
  readonly noServers: string;
  /** Shown when the application is added to the user's account and not to a server. */
  readonly toAccount: string;
  readonly bot: Sentence;
  readonly cancel: string;
  readonly approve: string;
  readonly onToSite: Sentence;
  readonly onToProgram: Sentence;
  readonly added: Outcome;
  readonly notAdded: Outcome;
}

export interface ActivateWords {
  readonly heading: string;
  readonly lead: string;
  readonly code: string;
  readonly submit: string;
  readonly unknown: string;
  /** Asks for consent on a device. */
  readonly consentHeading: Sentence;
  readonly warning: string;
  readonly approve: string;
  readonly deny: string;
  readonly granted: Outcome;
  readonly denied: Outcome;
  readonly answered: Outcome;
  readonly another: string;
}

export interface ErrorWords {
  readonly link: { readonly heading: string } & Readonly<Record<AuthorizationPageFault['parameter'], string>>;
  readonly outdated: { readonly heading: string; readonly message: string };
  readonly failed: string;
  readonly nothingChanged: string;
  readonly unreadable: string;
  readonly unknownUser: string;
  readonly banned: string;
  readonly unknownGuild: string;
  readonly missingPermissions: string;
  readonly tooMany: (minutes: number) => string;
  readonly broken: { readonly heading: string; readonly message: string; readonly advice: string };
  readonly startAgain: string;
}
