/** Whether the services and worlds of tests run on PostgreSQL and Redis: `npm run test:engines`. */
export const isShared: boolean = process.env.RALLYPOINT_TEST_ENGINES === 'shared';
