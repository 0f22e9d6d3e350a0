import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { isFormToken, type SignedIn, type SignIns, signInLifeMs } from '../sign-in/sign-in.ts';
import { pagesPath } from './paths.ts';

const cookieName = 'rallypoint_sign_in';
/** Browsers accept a cookie of this name from its own host only, not from another host of the same domain. @see https://datatracker.ietf.org/doc/draft-ietf-httpbis-rfc6265bis/ */
const hostPrefix = '__Host-';
const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** A browser at the authorization pages. */
export interface Visitor {
  /** The secret in its cookie; form tokens are derived from it. */
  readonly secret: string;
  /** The user who is signed in, if any. */
  readonly signedIn: SignedIn | undefined;
}

/** A form without this browser's token, or with one from before the browser signed in or out. */
export class OutdatedForm extends Error {}

/** Recognizes browsers by their cookie, and signs them in and out. */
export interface Visitors {
  /** The visitor with the request's cookie; undefined for a browser without one. */
  recognize(request: FastifyRequest): Promise<Visitor | undefined>;
  /** Gives a browser its first cookie. */
  create(reply: FastifyReply): Visitor;
  /** @throws OutdatedForm */
  checkForm(visitor: Visitor, form: Readonly<Record<string, unknown>>): void;
  signIn(visitor: Visitor, userId: UserId, reply: FastifyReply): Promise<void>;
  signOut(visitor: Visitor, reply: FastifyReply): Promise<void>;
}

export function createVisitors(signIns: SignIns, core: Core): Visitors {
  // Browsers accept the prefix only with https and the path `/`. They send a cookie to every port of its host, so its name says
  // which port it is for.
  function cookieOf(): { readonly name: string; readonly path: string; readonly secure: boolean } {
    const { protocol, port } = new URL(core.addresses.web);
    const name = port === '' ? cookieName : `${cookieName}_${port}`;
    return protocol === 'https:'
      ? { name: hostPrefix + name, path: '/', secure: true }
      : { name, path: pagesPath, secure: false };
  }

  function setCookie(reply: FastifyReply, secret: string): void {
    const { name, path, secure } = cookieOf();
    reply.setCookie(name, secret, { path, httpOnly: true, sameSite: 'lax', secure, maxAge: signInLifeMs / 1000 });
  }

  async function end(visitor: Visitor): Promise<void> {
    if (visitor.signedIn) await signIns.close(visitor.secret);
  }

  return {
    async recognize(request) {
      const secret = request.cookies[cookieOf().name];
      if (secret === undefined || !secretForm.test(secret)) return undefined;
      return { secret, signedIn: await signIns.load(secret) };
    },

    create(reply) {
      const secret = signIns.anonymous();
      setCookie(reply, secret);
      return { secret, signedIn: undefined };
    },

    checkForm(visitor, form) {
      if (!isFormToken(visitor.secret, form.form_token)) throw new OutdatedForm();
    },

    // The secret changes at sign-in, so that an attacker who planted a cookie beforehand is not signed in with it.
    async signIn(visitor, userId, reply) {
      await end(visitor);
      setCookie(reply, await signIns.open(userId));
    },

    async signOut(visitor, reply) {
      await end(visitor);
      setCookie(reply, signIns.anonymous());
    },
  };
}
