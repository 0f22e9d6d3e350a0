import { type RouteName, routes } from '../../../wire/routes.ts';

/** The kinds of faults and the fields that each has beside those of every fault. */
export const faultKinds = {
  latency: { strikes: 'requests', fields: ['ms'] },
  status: { strikes: 'requests', fields: ['status'] },
  rate_limit: { strikes: 'requests', fields: ['scope', 'retry_after_ms'] },
  drop: { strikes: 'sockets', fields: [] },
  freeze: { strikes: 'sockets', fields: [] },
  corrupt: { strikes: 'sockets', fields: [] },
  reconnect: { strikes: 'sockets', fields: [] },
  invalid_session: { strikes: 'sockets', fields: ['resumable'] },
} as const satisfies Record<string, { strikes: 'requests' | 'sockets'; fields: readonly string[] }>;

export type FaultKind = keyof typeof faultKinds;
export const faultKindNames = Object.keys(faultKinds) as readonly FaultKind[];

/** A fault as `POST /control/faults` takes it. */
export interface FaultInput {
  readonly kind: FaultKind;
  readonly ms?: number;
  readonly status?: number;
  readonly scope?: string;
  readonly retry_after_ms?: number;
  readonly resumable?: boolean;
  readonly match?: Readonly<Record<string, string>>;
  readonly count?: number | null;
  readonly percent?: number;
  readonly seed?: number;
  readonly cluster?: boolean;
}

/** The texts and switches of the form, all kinds in one, so that changing the kind keeps what was entered. */
export interface FaultForm {
  readonly kind: FaultKind;
  readonly ms: string;
  readonly status: string;
  readonly scope: string;
  readonly retryAfterMs: string;
  readonly resumable: boolean;
  readonly route: string;
  readonly applicationId: string;
  readonly userId: string;
  readonly event: string;
  /** Empty: until it is cleared. */
  readonly count: string;
  readonly percent: string;
  readonly seed: string;
  readonly cluster: boolean;
}

export const emptyFaultForm: FaultForm = {
  kind: 'latency',
  ms: '800',
  status: '503',
  scope: 'user',
  retryAfterMs: '1000',
  resumable: true,
  route: '',
  applicationId: '',
  userId: '',
  event: '',
  count: '1',
  percent: '100',
  seed: '0',
  cluster: false,
};

/**
 * The document of a form. Fields with their default are left out, and a number that cannot be read stays text, so that the service's
 * check names it.
 */
export function faultOf(form: FaultForm): FaultInput {
  const { strikes } = faultKinds[form.kind];
  const match = {
    ...(strikes === 'requests' && form.route !== '' && { route: form.route }),
    ...(form.applicationId !== '' && { application_id: form.applicationId }),
    ...(form.userId !== '' && { user_id: form.userId }),
    ...(strikes === 'sockets' && form.event !== '' && { event: form.event }),
  };
  return {
    kind: form.kind,
    ...ownFields(form),
    ...(Object.keys(match).length > 0 && { match }),
    ...(form.count.trim() !== '1' && { count: form.count.trim() === '' ? null : numberOf(form.count) }),
    ...(form.percent.trim() !== '100' && { percent: numberOf(form.percent), seed: numberOf(form.seed) }),
    ...(form.cluster && { cluster: true }),
  };
}

function ownFields(form: FaultForm): Partial<FaultInput> {
  switch (form.kind) {
    case 'latency':
      return { ms: numberOf(form.ms) };
    case 'status':
      return { status: numberOf(form.status) };
    case 'rate_limit':
      return { scope: form.scope, retry_after_ms: numberOf(form.retryAfterMs) };
    case 'invalid_session':
      return { resumable: form.resumable };
    default:
      return {};
  }
}

function numberOf(text: string): number {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? (text as unknown as number) : number;
}

/** The form of a fault, to arm one like it again. */
export function formOf(fault: FaultInput): FaultForm {
  const { match = {} } = fault;
  const text = (value: number | undefined, absent: string) => (value === undefined ? absent : String(value));
  return {
    kind: fault.kind,
    ms: text(fault.ms, emptyFaultForm.ms),
    status: text(fault.status, emptyFaultForm.status),
    scope: fault.scope ?? emptyFaultForm.scope,
    retryAfterMs: text(fault.retry_after_ms, emptyFaultForm.retryAfterMs),
    resumable: fault.resumable ?? false,
    route: match.route ?? '',
    applicationId: match.application_id ?? '',
    userId: match.user_id ?? '',
    event: match.event ?? '',
    count: fault.count === null ? '' : text(fault.count, emptyFaultForm.count),
    percent: text(fault.percent, emptyFaultForm.percent),
    seed: text(fault.seed, emptyFaultForm.seed),
    cluster: fault.cluster ?? false,
  };
}

/** The routes that a fault can name, in the order of their names. */
export const faultRoutes: readonly RouteName[] = (Object.keys(routes) as RouteName[]).toSorted();
