/**
 * What the forwarder (`native/forwarder`) and the game it calls have agreed upon. The forwarder is started as
 * `rallypoint-forwarder <socket path> <program> [arguments…] <address>`; the system appends the address. It writes the
 * address as one line to the socket and reads one line, an answer.
 *
 * `native/forwarder/agreed.h` has the same figures for C++; a test keeps the two equal.
 */
export const forwarderAgreement = {
  /** Longest address in bytes of UTF-8, without the line's end. */
  addressBytesMax: 8192,
  /** How long the game may take to let the forwarder in. */
  connectMsMax: 100,
  /** How long the game may take to answer. */
  answerMsMax: 2000,
} as const;

/** What a game answers: somebody waited for this address, or nobody did. Sent as a line. */
export const forwarderAnswers = ['accepted', 'refused'] as const;
export type ForwarderAnswer = (typeof forwarderAnswers)[number];

/** How the forwarder ends. */
export const forwarderExitCodes = {
  /** The running game took the address. */
  accepted: 0,
  /** The running game did not want it. */
  refused: 1,
  /** It was not called as it should be, or what it was given is no address. */
  usage: 2,
  /** No game listened; one was started, with the address as its last argument. */
  started: 3,
  /** No game listened, and none could be started. */
  not_started: 4,
  /** Who listens is another user, or others could have put the socket there; nothing was sent. */
  not_private: 5,
  /** A game listens and did not answer in time, or not with an answer. */
  no_answer: 6,
} as const;
export type ForwarderOutcome = keyof typeof forwarderExitCodes;
