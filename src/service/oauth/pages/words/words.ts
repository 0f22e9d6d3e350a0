import type { Scope } from '../../../../model/oauth.ts';
import type { AuthorizationPageFault } from '../../authorize/authorization-request.ts';
import type { Content, Html } from '../views/html.ts';
import type { PermissionName } from '../views/permissions.ts';
import type { Topic } from '../views/scope-topics.ts';

/** A sentence around something: a name, an address. */
export type Sentence = (about: Content) => Html;

/** How something ended, for a page of its own. */
export interface Outcome {
  readonly heading: string;
  readonly lead: string;
}

/** All that the pages say, in one language. Each language is one file of this shape. */
export interface PageWords {
  /** What the `lang` attribute names. */
  readonly lang: string;
  readonly signIn: SignInWords;
  readonly consent: ConsentWords;
  readonly activate: ActivateWords;
  readonly errors: ErrorWords;
  /** Headings among the parts of an umbrella scope. */
  readonly topics: Readonly<Record<Topic, string>>;
  /** What each scope lets an application do; completes "it will be able to …". */
  readonly scopes: Readonly<Record<Scope, string>>;
  /** What each permission lets a bot do in a server. */
  readonly permissions: Readonly<Record<PermissionName, string>>;
}

export interface SignInWords {
  readonly chooseHeading: string;
  readonly passwordHeading: string;
  readonly toApplication: Sentence;
  readonly toDevice: string;
  readonly nobody: string;
  readonly somebodyElse: string;
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
  readonly toServer: string;
  readonly chooseServer: string;
  readonly toNoServer: string;
  readonly noServers: string;
  /** Where the application is added when it is not to a server. */
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
  readonly unknownGuild: string;
  readonly missingPermissions: string;
  readonly tooMany: (minutes: number) => string;
  readonly broken: { readonly heading: string; readonly message: string; readonly advice: string };
  readonly startAgain: string;
}
