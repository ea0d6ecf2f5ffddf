import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { z } from "zod";
import { asUserId } from "#domain/ids.ts";
import { systemClock } from "#server/clock.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import type { LinkPurchase } from "../../actions.ts";
import { type BotApi, createBotApi, type Update } from "./bot-api.ts";
import { startTelegramUpdates, type TelegramUpdatesDeps } from "./updates.ts";
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

function start(
  traits: Pick<TelegramUpdatesDeps, "api"> & Partial<Pick<TelegramUpdatesDeps, "actions" | "pair">>,
): () => Promise<void> {
  return startTelegramUpdates({
    actions: aPurchase().actions,
    pair: () => Promise.resolve({ kind: "unknown" }),
    unpair: () => Promise.resolve(false),
    personOf: () => Promise.resolve({ userId: asUserId("lea"), maySpend: true }),
    refusalText: () => "refused",
    publicUrl: "https://synapse.example",
    marketUrl: "https://market.example",
    areLinksShown: true,
    clock: systemClock,
    log: createQuietLog(),
    ...traits,
  });
}

test("a slow purchase delays only its own chat, whose updates stay in order", async () => {
  const { api, sent, give } = aBot();
  const purchase = aPurchase();
  const stop = start({ api, actions: purchase.actions });
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

test("a code that has no room for another chat is not called invalid", async () => {
  const { api, sent, give } = aBot();
  const stop = start({ api, pair: () => Promise.resolve({ kind: "full", limit: 5 }) });
  give(wrote(BUYER, "/start AAAABBBB"));
  await expect
    .poll(() => sent)
    .toEqual([
      `${BUYER}: Vous avez déjà 5 conversations reliées : retirez-en une dans Synapse, page « Alertes ».`,
    ]);
  give();
  await stop();
});

const asked = z.object({ offset: z.number(), limit: z.number().max(100).default(100) });
const answered = z.object({ chat_id: z.number() });

/** Telegram's Bot API over HTTP, which escapes what is not ASCII. @returns the chats that the bot answered */
async function aBotApi(backlog: readonly Update[]) {
  let waiting = [...backlog];
  const chats: number[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = JSON.parse(await textOf(request));
    let result: unknown = true;
    if (request.url?.endsWith("/getUpdates") === true) {
      const { offset, limit } = asked.parse(body);
      waiting = waiting.filter((update) => update.update_id >= offset);
      result = waiting.slice(0, limit);
      if (waiting.length === 0) return;
    } else chats.push(answered.parse(body).chat_id);
    // The only character of these tests that Telegram escapes.
    response.end(JSON.stringify({ ok: true, result }).replaceAll("\u00e9", String.raw`\u00e9`));
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address === null || typeof address === "string" ? 0 : address.port;
  const api = createBotApi(`http://127.0.0.1:${port}`, "1:token");
  const stop = start({ api });
  return {
    chats,
    left: () => waiting.length,
    async [Symbol.asyncDispose]() {
      await stop();
      await api[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const LONG = "\u00e9".repeat(4_096);

test("a hundred long messages that arrived meanwhile are all handled", async () => {
  const backlog = Array.from({ length: 100 }, (_, index) => wrote(index + 1, LONG));
  await using bot = await aBotApi(backlog);
  await expect.poll(() => bot.chats.length).toBe(100);
  await expect.poll(bot.left).toBe(0);
  expect(new Set(bot.chats).size).toBe(100);
});

test("updates that are too large together are read one by one, and one too large by itself is skipped", async () => {
  // In the Bot API's form 1.7 MB each, and 4.9 MB.
  const [half, large] = [LONG.repeat(70), LONG.repeat(200)];
  await using bot = await aBotApi([wrote(1, half), wrote(2, half), wrote(3, large), wrote(4, "oui")]);
  await expect.poll(bot.left).toBe(0);
  expect(bot.chats).toEqual([1, 2, 4]);
});
