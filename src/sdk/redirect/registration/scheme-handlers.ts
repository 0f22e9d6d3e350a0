import type { SchemeHandler, SchemeRegistration } from '../../native/contract.ts';

/** The system's list of who opens which scheme. */
export interface SchemeHandlers {
  /** By which means it is read and written. */
  readonly by: 'addon' | 'xdg-mime';
  handlerOf(scheme: string): Promise<SchemeHandler | undefined>;
  register(registration: SchemeRegistration): Promise<void>;
  unregister(scheme: string, id: string): Promise<void>;
}
