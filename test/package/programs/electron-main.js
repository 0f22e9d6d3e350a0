// The same in Electron's main process, which has a module that only Electron can resolve.
import { app } from 'electron';
import './game.js';

if (typeof app?.whenReady !== 'function') throw new Error('This is not Electron.');
