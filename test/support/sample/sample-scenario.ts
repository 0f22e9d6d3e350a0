import type { Client } from '@rallypoint/sdk';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { agreeAs } from './sample-app.ts';

/** What a scenario plays on: the game's window, wherever it is shown, and the browser it opens. */
export interface SampleStage {
  readonly window: Page;
  nextPage(): Promise<Page>;
  /** Another player's game. */
  readonly friend: Client;
  /** Keeps a picture of the window as it is now. */
  picture(name: string): Promise<void>;
}

/** The whole of it, as a player does it: the same in Electron and in Chromium. */
export async function playSample(stage: SampleStage): Promise<void> {
  await signIn(stage);
  await editEntryPoint(stage);
  await meetFriend(stage);
  await makeFriends(stage);
  await signOut(stage);
}

async function signIn({ window, nextPage, picture }: SampleStage): Promise<void> {
  await window.getByRole('heading', { name: 'Starfall' }).waitFor();
  await picture('welcome');
  await window.getByRole('button', { name: 'Sign in', exact: true }).click();
  await window.getByText('Waiting for your browser').waitFor();
  await picture('waiting-for-browser');
  const page = await nextPage();
  await agreeAs('ada', page);
  await window.getByText('Live', { exact: true }).waitFor();
  await window.getByRole('button', { name: 'Account of Ada' }).waitFor();
  await picture('signed-in');
}

async function editEntryPoint({ window, picture }: SampleStage): Promise<void> {
  await window.getByRole('button', { name: 'Entry point' }).click();
  const name = window.getByLabel('Name');
  await expect.poll(() => name.inputValue()).toBe('Launch');
  expect(await window.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
  await name.fill('');
  await window.getByRole('button', { name: 'Save changes' }).click();
  const fault = window.locator('#entry-name-fault');
  await fault.waitFor();
  expect(await fault.textContent()).toBe('This field is required');
  expect(await name.evaluate(input => input === document.activeElement)).toBe(true);
  await picture('entry-point-fault');
  await name.fill('Set sail');
  await window.getByLabel('Description').fill('Opens Starfall in your channel');
  await window.getByLabel('The game answers').check();
  await window.getByRole('button', { name: 'Save changes' }).click();
  await window.getByText('The entry point was changed.').first().waitFor({ state: 'attached' });
  await expect.poll(() => window.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
  await picture('entry-point');
}

async function meetFriend({ window, friend, picture }: SampleStage): Promise<void> {
  await window.getByRole('button', { name: 'Lobbies', exact: true }).first().click();
  await window.getByLabel('Create a lobby').fill('Friday crew');
  await window.getByRole('button', { name: 'Create', exact: true }).click();
  await window.getByRole('heading', { name: 'Friday crew' }).waitFor();
  const code = (await window.locator('.join-code').textContent()) ?? '';
  const { id: lobbyId } = await friend.lobbies.join(code, { memberMetadata: { name: 'Grace' } });
  await window.getByText('Grace joined').first().waitFor();
  await friend.lobbies.get(lobbyId)?.send('Hello! <b>Ready?</b>');
  // What a player wrote is text, whatever it looks like.
  await window.getByText('Hello! <b>Ready?</b>').waitFor();
  const said = new Promise<string>(resolve => {
    const hearing = friend.lobbyMessages$(lobbyId).subscribe(messages => {
      const heard = messages.find(({ author }) => author?.username === 'ada');
      if (heard) resolve(heard.content);
    });
    friend.status$.subscribe({ complete: () => hearing.unsubscribe() });
  });
  await window.getByLabel('Message').fill('Ready when you are');
  await window.getByRole('button', { name: 'Send' }).click();
  expect(await said).toBe('Ready when you are');
  await window.locator('.message.own').waitFor();
  await picture('lobby');
  await window.getByRole('button', { name: 'Leave' }).click();
  await window.getByRole('heading', { name: 'No lobby is open' }).waitFor();
}

/** Two players become friends, write to each other, and one follows the other into a lobby. */
async function makeFriends({ window, friend, picture }: SampleStage): Promise<void> {
  await window.getByRole('button', { name: 'Friends', exact: true }).first().click();
  await window.getByLabel('Add a friend').fill('grace');
  await window.getByRole('button', { name: 'Add', exact: true }).click();
  await window.getByText('grace has your request.').waitFor();
  await expect.poll(() => friend.friends.requests.incoming.length).toBe(1);
  const [ada] = friend.friends.requests.incoming;
  if (!ada) throw new Error('There is no request.');
  await friend.friends.accept(ada.id);
  await window.getByText('grace has your request.').waitFor({ state: 'detached' });
  await window.getByRole('button', { name: /^Grace/ }).click();
  // A friend who asks for the other kind is accepted in the same place.
  await friend.friends.add(ada.id, { game: true });
  await window.getByRole('button', { name: 'Accept Grace' }).click();
  await expect.poll(() => friend.friends.relationship(ada.id).gameType).toBe('friend');
  await window.getByText('You and Grace are friends in this game.').first().waitFor({ state: 'attached' });
  expect(await window.getByText('You and Grace are friends.').count()).toBe(1);
  await friend.messages.get(ada.id).send('Ahoy! <i>Up?</i>');
  await window.getByText('Ahoy! <i>Up?</i>').waitFor();
  await window.getByLabel('Write to your friend').fill('Up and ready');
  await window.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => friend.messages.get(ada.id).messages.at(-1)?.content).toBe('Up and ready');
  const lobby = await friend.lobbies.join('the harbour', { lobbyMetadata: { title: 'Harbour' } });
  await friend.presence.set({ details: 'Harbour', party: { id: lobby.id, size: [1, 8] }, joinSecret: 'the harbour' });
  await window.getByText('Harbour (1 of 8)').first().waitFor();
  await friend.invites.send(ada.id);
  await window.locator('.invite').waitFor();
  await picture('friends');
  await window.locator('.invite').getByRole('button', { name: 'Join' }).click();
  await window.getByRole('heading', { name: 'Harbour' }).waitFor();
  await expect.poll(() => lobby.snapshot?.members.length).toBe(2);
  // Who is in the same lobby needs no invite.
  await window.getByRole('button', { name: 'Friends', exact: true }).first().click();
  await window.getByRole('heading', { name: 'Grace' }).waitFor();
  for (const name of ['Invite', 'Ask to join']) {
    expect(await window.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
}

async function signOut({ window, picture }: SampleStage): Promise<void> {
  await window.getByRole('button', { name: 'Account of Ada' }).click();
  await picture('account');
  await window.getByRole('button', { name: 'Sign out' }).click();
  await window.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
}
