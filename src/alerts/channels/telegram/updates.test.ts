import { expect, test } from "vitest";
import { asUserId } from "#domain/ids.ts";
import { systemClock } from "#server/clock.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import type { LinkPurchase } from "../../actions.ts";
import type { BotApi, Update } from "./bot-api.ts";
import { startTelegramUpdates } from "./updates.ts";
const TOKEN = "t".repeat(43);
const [BUYER, OTHER] = [4_711, 4_712];

let nextId = 0;
const chatOf = (id: number) => ({ id, type: "private" });
function wrote(chat: number, text: string): Update {
  nextId += 1;
  return {
    update_id: nextId,
    message: { message_id: nextId, chat: chatOf(chat), text, entities: [] },
  };
}
function pressed(chat: number, data: string): Update {
  nextId += 1;
  const message = { message_id: 1, chat: chatOf(chat), text: "Robe", entities: [] };
  return { update_id: nextId, callback_query: { id: String(nextId), data, message } };
}

/** A fake bot: tests supply the updates; what it sent is one line each. */
function aBot() {
  const sent: string[] = [];
  let waiting: Update[] = [];
  let arrived = Promise.withResolvers<void>();
  const api: BotApi = {
    getMe: () => Promise.resolve("bot"),
    async getUpdates(offset) {
      waiting = waiting.filter((update) => update.update_id >= offset);
      if (waiting.length === 0) await arrived.promise;
      arrived = Promise.withResolvers();
      return [...waiting];
    },
    async sendMessage(chatId, { text }) {
      sent.push(`${chatId}: ${text}`);
      return { kind: "sent" };
    },
    async editMessage(chatId, _messageId, { text }) {
      sent.push(`${chatId}: ${text}`);
    },
    answerCallback: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const give = (...updates: readonly Update[]): void => {
    waiting.push(...updates);
    arrived.resolve();
  };
  return { api, sent, give };
}

/** A purchase that completes when the test says so. */
function aPurchase() {
  const ended = Promise.withResolvers<LinkPurchase>();
  const { id: listingId, totalPriceCents } = aListing();
  const link = { listingId, totalPriceCents, expiresAtMs: Infinity, usedAtMs: null };
  let count = 0;
  return {
    count: () => count,
    end: () => ended.resolve({ kind: "used" }),
    actions: {
      look: () => Promise.resolve({ state: "valid" as const, link, listing: null }),
      purchaseOf: () => Promise.resolve(null),
      buy: () => {
        count += 1;
        return ended.promise;
      },
      block: () => Promise.resolve(null),
      pause: () => Promise.resolve(0),
    },
  };
}

test("a slow purchase delays only its own chat, whose updates stay in order", async () => {
  const { api, sent, give } = aBot();
  const purchase = aPurchase();
  const stop = startTelegramUpdates({
    api,
    actions: purchase.actions,
    pair: () => Promise.resolve(null),
    unpair: () => Promise.resolve(false),
    personOf: () => Promise.resolve({ userId: asUserId("lea"), maySpend: true }),
    refusalText: () => "refused",
    publicUrl: "https://synapse.example",
    marketUrl: "https://market.example",
    areLinksShown: true,
    clock: systemClock,
    log: createQuietLog(),
  });
  give(pressed(BUYER, `o:${TOKEN}`), wrote(BUYER, "/stop"), wrote(OTHER, "/stop"));
  await expect.poll(() => sent.length).toBe(1);
  give(wrote(OTHER, "bonjour"));
  await expect.poll(() => sent.length).toBe(2);
  expect(sent.every((line) => line.startsWith(`${OTHER}: `))).toBe(true);
  expect(purchase.count()).toBe(1);
  purchase.end();
  await expect.poll(() => sent.length).toBe(4);
  expect(sent.slice(2)).toEqual([
    `${BUYER}: Robe\nCe lien a déjà servi`,
    `${BUYER}: Cette conversation n'est reliée à aucun compte.`,
  ]);
  give();
  await stop();
});
