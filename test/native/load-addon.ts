import { loadNative } from '../../src/sdk/native/load.ts';

// Says as JSON whether the addon was loaded, or what is missing.
const found = await loadNative();
console.log(JSON.stringify('addon' in found ? { functions: Object.keys(found.addon) } : found));
