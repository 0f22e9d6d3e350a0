import type { ComponentType } from 'preact';
import type { ViewName, ViewProps } from '../router.ts';

type Load = () => Promise<{ readonly default: ComponentType<ViewProps> }>;

/** The views; each is loaded when it is shown for the first time. */
export const loadView: Readonly<Record<ViewName, Load>> = {
  overview: () => import('../views/overview/view.tsx'),
  traffic: () => import('../views/traffic/view.tsx'),
  lobbies: () => import('../views/lobbies/view.tsx'),
  commands: () => import('../views/commands/view.tsx'),
  stage: () => import('../views/stage/view.tsx'),
  'sign-in': () => import('../views/sign-in/view.tsx'),
  world: () => import('../views/world/view.tsx'),
  time: () => import('../views/time/view.tsx'),
};
