import type { ApplicationTraits } from '../model/application.ts';
import { integrationTypes } from '../model/command.ts';

/** What is assumed of an application nobody described: whatever forbids least. */
export const traitsUnknown: ApplicationTraits = {
  embedded: true,
  discoverable: false,
  integration_types: Object.values(integrationTypes),
};
